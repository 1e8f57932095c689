import type { BootUser } from '../../../data/boot.ts';
import type { ViewSettings } from '../../../grid/list-search.ts';
import { choicesOf } from '../../../meta/field-values.ts';
import { type Hue, hueOf } from '../../../meta/hues.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { canChangeField } from '../../../meta/permissions.ts';
import { cardFields } from '../cards/card-fields.ts';

/** What a board shows. */
export interface Board {
  /** The field whose values are the columns. */
  readonly field: Field;
  /** Values of a card, below its title. */
  readonly cards: readonly Field[];
}

/** A column: the documents with one value; null for those without. */
export interface Lane {
  readonly value: string | null;
  readonly count: number;
  readonly hue: Hue;
}

/** A board of links has so many columns: the fullest ones. */
export const MOST_LANES = 50;

/** The fields that can make the columns. */
export function laneFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(
    ({ fieldname, fieldtype, set_only_once }) =>
      (fieldtype === 'Select' || fieldtype === 'Link') &&
      !set_only_once &&
      !['owner', 'modified_by', 'amended_from'].includes(fieldname),
  );
}

/** Parses the settings. Without them, the columns are the states that the user can change. */
export function boardOf(
  settings: ViewSettings,
  meta: Meta,
  fields: readonly Field[],
  user: BootUser,
): Board | null {
  const possible = laneFields(fields);
  const selects = possible.filter(({ fieldtype }) => fieldtype === 'Select');
  const field =
    possible.find(({ fieldname }) => fieldname === settings['field']) ??
    selects.find(({ fieldname }) => /^(status|stage|state|workflow_state)$/.test(fieldname)) ??
    selects.find((one) => one.in_list_view && canMove(meta, one, user, 0)) ??
    selects[0] ??
    possible[0];
  return field ? { field, cards: cardFields(meta, fields, settings['cards'], [field.fieldname]) } : null;
}

/** True if the user may give a document in this state another value, as far as the doctype tells. */
export function canMove(meta: Meta, field: Field, user: BootUser, docstatus: number): boolean {
  return (
    !field.read_only &&
    field.fetch_from === '' &&
    canChangeField(meta, field, user, { docstatus, isNew: false, isSet: true })
  );
}

/** The columns: a Select's options in their order, other values and links by their number of documents. */
export function lanesOf(
  field: Field,
  groups: readonly { readonly value: string | null; readonly count: number }[],
): readonly Lane[] {
  const counts = new Map(groups.map(({ value, count }) => [value, count]));
  const choices = field.fieldtype === 'Select' ? choicesOf(field) : [];
  const others = groups
    .map(({ value }) => value)
    .filter((value) => value !== null && !choices.includes(value));
  const hasNone = counts.has(null) || (!field.reqd && field.options.split('\n').includes(''));
  return [...(hasNone ? [null] : []), ...choices, ...others].map((value) => ({
    value,
    count: counts.get(value) ?? 0,
    hue: value === null ? 'gray' : field.fieldtype === 'Select' ? hueOf(value) : 'blue',
  }));
}
