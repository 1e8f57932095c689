import { mayChange, mayLearn, type RowsOf } from '../access/field-level.ts';
import type { CurrentUser } from '../access/user.ts';
import type { DocField, DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { memo2 } from '../kernel/memo.ts';

/** A field of a doctype's documents, or of the rows in one of their tables. */
interface FieldPlace {
  readonly holder: DocType;
  readonly field: DocField;
  /** For a field of rows. */
  readonly table?: DocField;
}

/** Fields by their possible names in `attached_to_field`. */
type FieldNames = ReadonlyMap<string, readonly FieldPlace[]>;

/** True when the user may read the field, and so its attachments. False for an unknown field. */
export function mayReadField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return isEvery(registry, doctype, name, ({ holder, field, table }) =>
    mayLearn(user, holder, field.fieldname, rowsOf(doctype, table)),
  );
}

/** True for an existing field that the user may not read. */
export function isHiddenField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return fieldNames(registry, doctype).has(name) && !mayReadField(registry, user, doctype, name);
}

/** True when the user may write the field, by its permlevel. False for an unknown field. */
export function mayWriteField(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
  name: string,
): boolean {
  return isEvery(registry, doctype, name, ({ holder, field, table }) =>
    mayChange(user, holder, field.fieldname, rowsOf(doctype, table)),
  );
}

/** True when all readers of the document may read the field. False for an unknown field. */
export function isOpenField(registry: DoctypeRegistry, doctype: DocType, name: string): boolean {
  return isEvery(
    registry,
    doctype,
    name,
    ({ field, table }) => field.permlevel === 0 && (table?.permlevel ?? 0) === 0,
  );
}

/**
 * The name of a field in `attached_to_field`: its own if no other field has it, else `table.field`, or
 * `.field`.
 */
export function nameOfField(
  registry: DoctypeRegistry,
  doctype: DocType,
  fieldname: string,
  table: DocField | null,
): string {
  const isOnly = fieldNames(registry, doctype).get(fieldname)?.length === 1;
  return isOnly ? fieldname : `${table?.fieldname ?? ''}.${fieldname}`;
}

/** The name that `nameOfField` gives this field; the same name for no field, or several. */
export function usualName(registry: DoctypeRegistry, doctype: DocType, name: string): string {
  const [place, ...others] = fieldNames(registry, doctype).get(name) ?? [];
  if (!place || others.length > 0) return name;
  return nameOfField(registry, doctype, place.field.fieldname, place.table ?? null);
}

/** The names of all fields, divided by whether the user may read them. */
export function namesByReading(
  registry: DoctypeRegistry,
  user: CurrentUser,
  doctype: DocType,
): { readonly readable: readonly string[]; readonly hidden: readonly string[] } {
  const { true: readable = [], false: hidden = [] } = Object.groupBy(
    fieldNames(registry, doctype).keys(),
    (name) => (mayReadField(registry, user, doctype, name) ? 'true' : 'false'),
  );
  return { readable, hidden };
}

function isEvery(
  registry: DoctypeRegistry,
  doctype: DocType,
  name: string,
  test: (place: FieldPlace) => boolean,
): boolean {
  const places = fieldNames(registry, doctype).get(name);
  return places?.every(test) ?? false;
}

function rowsOf(parent: DocType, table: DocField | undefined): RowsOf | undefined {
  return table && { parent, table: table.fieldname };
}

// A name may stand for several fields. Files then have the permission of all of them, because the intended
// one is unknown.
const fieldNames = memo2(findNames);

function findNames(registry: DoctypeRegistry, doctype: DocType): FieldNames {
  const names = new Map<string, FieldPlace[]>();
  const add = (name: string, place: FieldPlace) => {
    const places = names.get(name);
    if (places) places.push(place);
    else names.set(name, [place]);
  };
  for (const field of doctype.fields) {
    add(field.fieldname, { holder: doctype, field });
    add(`.${field.fieldname}`, { holder: doctype, field });
  }
  for (const table of doctype.tables) {
    const holder = registry.find(table.options);
    for (const field of holder?.fields ?? []) {
      if (!holder) continue;
      const place = { holder, field, table };
      add(field.fieldname, place);
      add(`${table.fieldname}.${field.fieldname}`, place);
    }
  }
  return names;
}
