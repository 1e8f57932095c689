import { isLayout, isLongText, isNumber, isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';

/** A column of a table's grid. */
export interface ChildColumn {
  readonly field: Field;
  /** In pixels. */
  readonly width: number;
  /** True for text, which takes the free width. */
  readonly isFlexible: boolean;
}

/** The style of a column's cells. */
export function columnStyle({ width, isFlexible }: ChildColumn) {
  return { flex: `${isFlexible ? 1 : 0} 0 ${width}px` };
}

/** Number of columns if the doctype marks none as list columns. */
const UNSAID = 6;
/** Maximum columns. The row's form has the other fields. */
const MOST = 20;

/** Columns of a child doctype's grid: its list view fields and mandatory fields, or else its first fields. */
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
  return chosen
    .slice(0, MOST)
    .map((field) => ({ field, width: widthOf(field), isFlexible: isFlexible(field) }));
}

/** Columns with a sum: amounts and quantities. A sum of percentages, ratings or unit prices says nothing. */
export function isSummed({ fieldname, fieldtype }: Field): boolean {
  return (
    ['Int', 'Float', 'Currency', 'Duration'].includes(fieldtype) && !/(^|_)(rate|price)$/.test(fieldname)
  );
}

/** The sum of a column, without the rounding errors of binary fractions. */
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
  if (isNumber(field.fieldtype)) return 108;
  if (SHORT.includes(field.fieldtype)) return 128;
  return 152;
}

const SHORT = ['Date', 'Time', 'Color'];

function isFlexible({ fieldtype, columns }: Field): boolean {
  return columns === 0 && fieldtype !== 'Check' && !isNumber(fieldtype) && !SHORT.includes(fieldtype);
}
