import { useCallback, useSyncExternalStore } from 'react';
import { fieldsOf, isMandatory, isReadOnly, isShown, usesParent } from '../meta/depends-on.ts';
import { choicesOf } from '../meta/field-values.ts';
import { isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';
import { canChangeField, isLevelOpen } from '../meta/permissions.ts';
import { isUnset } from './doc-values.ts';
import { type Form, useForm } from './form-context.ts';

/** The document or row that holds the fields. */
export interface Holder {
  readonly meta: Meta;
  /** '' for the document, `items[3].` for a row. */
  readonly prefix: string;
}

/**
 * The path of a field that another one names in its options: beside it, or in the document of its row. Amounts in
 * rows have the currency of their document.
 */
export function pathBeside(form: Form, { meta, prefix }: Holder, fieldname: string): string {
  const isOfDocument = !meta.fieldByName.has(fieldname) && form.meta.fieldByName.has(fieldname);
  return isOfDocument ? fieldname : `${prefix}${fieldname}`;
}

/** The document and row that the conditions of a holder's fields read. */
export function scopeOf(form: Form, prefix: string) {
  const doc = form.store.document();
  const isNew = form.docname === null;
  if (prefix === '') return { doc, isNew };
  const row = form.store.get(prefix.slice(0, -1)) as Readonly<Record<string, unknown>> | undefined;
  return { doc: row ?? {}, parent: doc, isNew };
}

/**
 * The visible fields, by name. Re-renders when a field appears or disappears. Conditions run again only when
 * a field that they read changes; fields without a condition cost nothing.
 */
export function useShown(fields: readonly Field[], { meta, prefix }: Holder): ReadonlySet<string> {
  const form = useForm();
  const conditions = fields.map((field) => field.depends_on);
  const ask = () =>
    fields
      .filter(
        (field) =>
          isShown(field, scopeOf(form, prefix)) &&
          !isEmptyTrace(form, field) &&
          !isSettledSeries(form, field, prefix) &&
          isLevelOpen(meta, field.permlevel, 'read', form.user),
      )
      .map((field) => field.fieldname)
      .join('\n');
  const names = useAnswer(form, conditions, prefix, ask);
  return new Set(names.split('\n'));
}

// An original is not an amendment of another.
function isEmptyTrace({ store }: Form, { fieldname, read_only }: Field): boolean {
  return fieldname === 'amended_from' && read_only && isUnset(store.stored(fieldname));
}

// The series of a name is a choice only before the first save, and only among several.
function isSettledSeries({ docname }: Form, field: Field, prefix: string): boolean {
  if (field.fieldname !== 'naming_series' || field.fieldtype !== 'Select' || prefix !== '') return false;
  return docname !== null || choicesOf(field).length === 1;
}

/** Returns whether a field is mandatory and whether it is read-only. */
export function useFieldState(
  field: Field,
  { meta, prefix }: Holder,
): { isRequired: boolean; isReadOnly: boolean } {
  const form = useForm();
  const conditions = [field.mandatory_depends_on, field.read_only_depends_on];
  const answer = useAnswer(form, conditions, prefix, () => {
    const scope = scopeOf(form, prefix);
    return `${isMandatory(field, scope)} ${isReadOnly(field, scope)}`;
  });
  const canChange = canChangeField(meta, field, form.user, {
    docstatus: form.docstatus,
    isNew: form.docname === null,
    isSet: isSetInStore(form, `${prefix}${field.fieldname}`, prefix),
  });
  return {
    isRequired: answer.startsWith('true'),
    isReadOnly: answer.endsWith('true') || !form.canWrite || !canChange,
  };
}

/** Re-renders when the result of a condition changes. The result is text, so that it can be compared. */
function useAnswer(form: Form, conditions: readonly string[], prefix: string, ask: () => string): string {
  const { store } = form;
  const paths = watched(form.meta, conditions, prefix).join('\n');
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends =
        paths === ''
          ? []
          : paths.split('\n').map((path) => store.subscribe(path === '*' ? '' : path, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [store, paths],
  );
  return useSyncExternalStore(subscribe, ask);
}

// `*` is the whole document: row conditions that read the parent, and conditions that read tables, watch it.
function watched(meta: Meta, conditions: readonly string[], prefix: string): readonly string[] {
  const set = conditions.filter((one) => one !== '');
  if (set.length === 0) return [];
  if (set.some(usesParent)) return ['*'];
  if (prefix !== '') return [prefix.slice(0, -1)];
  const named = [...new Set(set.flatMap(fieldsOf))];
  return named.some((name) => isTable(meta.fieldByName.get(name)?.fieldtype ?? '')) ? ['*'] : named;
}

// The stored value decides whether a set-only-once field can still be set.
function isSetInStore(form: Form, path: string, prefix: string): boolean {
  if (prefix !== '') {
    const row = form.store.get(prefix.slice(0, -1)) as Readonly<Record<string, unknown>> | undefined;
    return row?.['name'] !== undefined;
  }
  return !isUnset(form.store.stored(path));
}
