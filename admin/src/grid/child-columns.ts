import { isLayout, isLongText, isNumber, isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';

/** A column of a table's grid. */
export interface ChildColumn {
  readonly field: Field;
  /** Pixels. */
  readonly width: number;
}

/** Where nobody says which fields are columns, so many of the first ones are. */
const UNSAID = 6;
/** Fields beyond that are in the row's own form. */
const MOST = 20;

/**
 * The columns of a child doctype's grid: those in its list view, those that must have a value, or the first
 * ones.
 */
export function childColumns(meta: Meta, isOpen: (field: Field) => boolean): readonly ChildColumn[] {
  const possible = meta.fields.filter(
    ({ fieldtype, hidden }) =>
      !hidden && !isLayout(fieldtype) && !isTable(fieldtype) && fieldtype !== 'Password',
  );
  const open = possible.filter(isOpen);
  const said = open.filter((field) => field.in_list_view || field.reqd);
  const chosen = open.some((field) => field.in_list_view)
    ? said
    : open.filter((field) => field.reqd || !isLongText(field.fieldtype)).slice(0, UNSAID);
  return chosen.slice(0, MOST).map((field) => ({ field, width: widthOf(field) }));
}

/**
 * The columns that have a sum: amounts and quantities; a sum of percentages, ratings or prices of one piece
 * says nothing.
 */
export function isSummed({ fieldname, fieldtype }: Field): boolean {
  return (
    ['Int', 'Float', 'Currency', 'Duration'].includes(fieldtype) && !/(^|_)(rate|price)$/.test(fieldname)
  );
}

/** What the numbers of a column come to, without the errors that adding parts of tenths makes. */
export function sumOf(values: Iterable<unknown>): number {
  let sum = 0;
  let rest = 0;
  for (const value of values) {
    const number = Number(value);
    if (value === null || value === undefined || value === '' || !Number.isFinite(number)) continue;
    const next = sum + number;
    rest += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
  }
  return sum + rest;
}

const PART = 80;

function widthOf(field: Field): number {
  if (field.columns > 0) return Math.min(8, field.columns) * PART;
  if (field.fieldtype === 'Check') return 72;
  if (isNumber(field.fieldtype)) return 112;
  if (['Date', 'Time', 'Color'].includes(field.fieldtype)) return 128;
  return 184;
}
