import type { BootUser } from '../../../data/boot.ts';
import type { ViewSettings } from '../../../grid/list-search.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { canChangeField, may } from '../../../meta/permissions.ts';
import { MODES, type Mode } from './calendar-dates.ts';

/** What a calendar shows. */
export interface Calendar {
  readonly start: Field;
  /** The last day or the end; null for documents of one day. */
  readonly end: Field | null;
  readonly mode: Mode;
  /** A Select whose values have colours. */
  readonly color: Field | null;
}

/** The fields that can place a document on a calendar. */
export function dateFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ fieldtype }) => fieldtype === 'Date' || fieldtype === 'Datetime');
}

/** The fields that can end what begins with another. */
export function endFields(fields: readonly Field[], start: Field): readonly Field[] {
  if (isStandard(start)) return [];
  return dateFields(fields).filter(
    (field) => field !== start && field.fieldtype === start.fieldtype && !isStandard(field),
  );
}

/** Parses the settings. Without them, the dates are those that sound like a beginning and an end. */
export function calendarOf(
  settings: ViewSettings,
  fields: readonly Field[],
  usualMode: Mode,
): Calendar | null {
  const dates = dateFields(fields);
  const named = (key: string) => dates.find(({ fieldname }) => fieldname === settings[key]);
  const own = dates.filter((field) => !isStandard(field));
  const start =
    named('start') ??
    own.find(({ fieldname }) => /^(start|begin|from)/.test(fieldname)) ??
    own.find(({ read_only }) => !read_only) ??
    own[0] ??
    dates[0];
  if (!start) return null;
  const ends = endFields(fields, start);
  const usualEnd = /^(start|begin|from)/.test(start.fieldname)
    ? ends.find(({ fieldname }) => /^(end|until|to_|finish)/.test(fieldname))
    : undefined;
  const end = 'end' in settings ? ends.find(({ fieldname }) => fieldname === settings['end']) : usualEnd;
  return {
    start,
    end: end ?? null,
    mode: MODES.find((mode) => mode === settings['mode']) ?? usualMode,
    color:
      fields.find(({ fieldtype, fieldname }) => fieldtype === 'Select' && fieldname === 'status') ??
      fields.find(({ fieldtype, in_list_view }) => fieldtype === 'Select' && in_list_view) ??
      null,
  };
}

/** True if the user may move a document in this state to another day, as far as the doctype tells. */
export function canPlace(meta: Meta, field: Field | null, user: BootUser, docstatus: number): boolean {
  return (
    field !== null &&
    !field.read_only &&
    !isStandard(field) &&
    may(meta.name, 'write') &&
    canChangeField(meta, field, user, { docstatus, isNew: false, isSet: true })
  );
}

function isStandard({ fieldname }: Field): boolean {
  return fieldname === 'creation' || fieldname === 'modified';
}
