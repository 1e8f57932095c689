import type { BootUser } from '../data/boot.ts';
import { choicesOf } from '../meta/field-values.ts';
import { isListable, isLongText, isNumber } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';
import { readableFields } from '../meta/permissions.ts';
import { labelOf, standardFields } from '../meta/standard-fields.ts';

/** A column of a list. */
export interface Column {
  readonly field: Field;
  readonly width: number;
  /** Stays in place while the others scroll. */
  readonly isPinned: boolean;
  /** Takes the width that the other columns leave. */
  readonly isFlexible: boolean;
}

/** The user's settings for a doctype's columns. */
export interface ColumnLayout {
  readonly widths: Readonly<Record<string, number>>;
  readonly pinned: readonly string[];
}

export const NO_LAYOUT: ColumnLayout = { widths: {}, pinned: [] };
export const NARROWEST = 64;
export const WIDEST = 1_200;
/** Pixels of a letter of a head, of the padding, arrow and menu beside its label, and of the widest head. */
const LETTER = 7.2;
const HEAD_CONTROLS = 66;
const WIDEST_HEAD = 224;

/** All fields that can be columns, those of the doctype first. */
export function columnFields(meta: Meta, user: BootUser): readonly Field[] {
  const own = readableFields(meta, user).filter((field) => isListable(field.fieldtype) && !field.is_virtual);
  return [...own, ...standardFields(meta)];
}

/**
 * The default columns of a doctype: title, list view fields, state, name and time of the last change. A name
 * that says nothing (random) or repeats a field is left out.
 */
export function usualColumns(meta: Meta, fields: readonly Field[]): readonly string[] {
  const known = new Set(fields.map((field) => field.fieldname));
  const marked = fields.filter(
    (field) => field.in_list_view && !field.hidden && !isLongText(field.fieldtype),
  );
  // A doctype without list columns shows its first fields.
  const first = fields
    .filter((field) => !field.read_only && !field.hidden && !isLongText(field.fieldtype))
    .slice(0, 4);
  const told = (marked.length > 0 ? marked : first).map((field) => field.fieldname);
  const isRandom = ['hash', 'random', 'uuid'].includes(meta.autoname.toLowerCase());
  const [, ofField = ''] = /^field:(.+)$/.exec(meta.autoname) ?? [];
  const names = [
    meta.title_field || (isRandom && told.length > 0 ? '' : ofField || 'name'),
    ...told,
    ...(meta.is_submittable ? ['docstatus'] : []),
  ];
  const shown = names.some((name) => known.has(name)) ? names : [...names, 'name'];
  const isNamed = isRandom || (known.has(ofField) && shown.includes(ofField));
  const time = meta.sort_field === 'creation' ? 'creation' : 'modified';
  return [...new Set([...shown, ...(isNamed ? [] : ['name']), time])].filter((name) => known.has(name));
}

/**
 * The named columns in this order, pinned ones first. The first column is always included; unknown names are
 * left out.
 */
export function columnsOf(
  fields: readonly Field[],
  names: readonly string[],
  layout: ColumnLayout,
): readonly Column[] {
  const byName = new Map(fields.map((field) => [field.fieldname, field]));
  const found = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  const [first] = found;
  const columns = found.map((field) => ({
    field,
    width: layout.widths[field.fieldname] ?? usualWidth(field, field === first),
    isPinned: field === first || layout.pinned.includes(field.fieldname),
    isFlexible: field === first && layout.widths[field.fieldname] === undefined,
  }));
  return [...columns.filter((one) => one.isPinned), ...columns.filter((one) => !one.isPinned)];
}

/** The columns in a space of this width: a flexible one takes what the others leave. */
export function fitted(columns: readonly Column[], room: number): readonly Column[] {
  const taken = columns.reduce((sum, one) => sum + (one.isFlexible ? 0 : one.width), 0);
  return columns.map((one) => (one.isFlexible ? { ...one, width: Math.max(one.width, room - taken) } : one));
}

function usualWidth(field: Field, isFirst: boolean): number {
  if (isFirst) return 240;
  return Math.max(valueWidth(field), Math.min(WIDEST_HEAD, HEAD_CONTROLS + LETTER * labelOf(field).length));
}

function valueWidth(field: Field): number {
  if (field.fieldtype === 'Check') return 88;
  if (isNumber(field.fieldtype)) return 120;
  if (field.fieldtype === 'Select') return widthOfLongest(choicesOf(field));
  if (['Date', 'Time', 'Rating', 'Color'].includes(field.fieldtype)) return 128;
  if (field.fieldtype === 'Datetime') return 144;
  if (field.fieldname === 'name') return 160;
  return isLongText(field.fieldtype) ? 240 : 184;
}

// A badge as wide as its longest option.
function widthOfLongest(options: readonly string[]): number {
  const most = Math.max(...options.map((one) => one.length), 0);
  return Math.min(184, Math.max(96, 40 + LETTER * most));
}

/** Moves one name to the position of another. */
export function movedColumn(names: readonly string[], name: string, to: number): readonly string[] {
  const rest = names.filter((one) => one !== name);
  const place = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, place), name, ...rest.slice(place)];
}

/** The fields to request: those of the columns, and those that display and row actions need. */
export function askedFields(
  meta: Meta,
  columns: readonly Column[],
  fields: readonly Field[],
): readonly string[] {
  const known = new Set(fields.map((field) => field.fieldname));
  const asked = new Set(['name', 'modified', ...(meta.is_submittable ? ['docstatus'] : [])]);
  if (meta.title_field !== '' && known.has(meta.title_field)) asked.add(meta.title_field);
  for (const { field } of columns) {
    asked.add(field.fieldname);
    // Other fields hold the doctype of a Dynamic Link and the currency of an amount.
    if (['Dynamic Link', 'Currency'].includes(field.fieldtype) && known.has(field.options))
      asked.add(field.options);
  }
  return [...asked];
}

/** The fields of the text search. */
export function searchedFields(meta: Meta, fields: readonly Field[]): readonly string[] {
  const known = new Map(fields.map((field) => [field.fieldname, field]));
  const names = ['name', meta.title_field, ...meta.search_fields];
  return [...new Set(names)].filter((name) => {
    const field = known.get(name);
    return (
      field !== undefined &&
      !isNumber(field.fieldtype) &&
      !['Check', 'Date', 'Datetime', 'Time'].includes(field.fieldtype)
    );
  });
}
