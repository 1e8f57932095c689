import type { Row } from '../../db/database.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { boundedText } from '../../kernel/json-text.ts';
import { memo2 } from '../../kernel/memo.ts';
import type { FieldValue } from '../../kernel/value.ts';
import { layoutOf } from '../layout.ts';
import { mayHaveDigest } from './entity-tag.ts';
import { parseRows, sideOf } from './load.ts';
import { type WireForm, wireOrderOf } from './present.ts';

/** A stored document that nothing is hidden from, computed for or added to: its row is its reply. */
export interface Stored {
  readonly revision: number;
  /** The JSON text of `presentDocument` without nulls. @throws TooLarge */
  text(precision: WireForm['precision']): string;
}

/** Where a value of a row is, and how it is written. */
interface ScalarText {
  readonly place: number;
  /** `,"key":` */
  readonly start: string;
  readonly cut: number;
}

interface RowText {
  readonly columns: readonly string[];
  readonly scalars: readonly ScalarText[];
  /** `,"doctype":"…"`, which follows them. */
  readonly end: string;
}

interface TableText {
  readonly fieldname: string;
  readonly start: string;
  readonly row: RowText;
}

interface DocumentText {
  readonly row: RowText;
  readonly tables: readonly TableText[];
  readonly side: readonly string[];
}

/**
 * True when a document's reply is the text of its row: not for definitions, which add properties, for tags with
 * a digest, or for keys of digits.
 */
export const isTextOfRow = memo2((registry: DoctypeRegistry, doctype: DocType): boolean => {
  if (doctype.rowsFrom !== 'table' || doctype.istable || mayHaveDigest(registry, doctype)) return false;
  const children = doctype.tables.map(({ options }) => registry.get(options));
  return ![doctype, ...children].some((one) => wireOrderOf(one).isDefinition || hasNumberKey(one));
});

/** Objects put keys of digits first. */
function hasNumberKey({ fields }: DocType): boolean {
  return fields.some(({ fieldname }) => /^\d+$/.test(fieldname));
}

/**
 * The reply of a row of `loadRow`. To make a document and its wire form first would take longer than the
 * statement.
 */
export function storedReply(registry: DoctypeRegistry, doctype: DocType, row: Row): Stored {
  const of = textOf(registry, doctype);
  return {
    revision: Number(row['_revision']),
    text: (precision) => boundedText(() => documentText(of, row, precision === 'seconds')),
  };
}

const textOf = memo2((registry: DoctypeRegistry, doctype: DocType): DocumentText => {
  const order = wireOrderOf(doctype);
  return {
    row: rowTextOf(doctype),
    tables: order.tables.map(([fieldname, childName]) => {
      return { fieldname, start: startOf(fieldname), row: rowTextOf(registry.get(childName)) };
    }),
    side: order.side.map(({ fieldname }) => fieldname),
  };
});

function rowTextOf(doctype: DocType): RowText {
  const { columns } = layoutOf(doctype);
  const scalars: ScalarText[] = [];
  for (const [key, cut] of wireOrderOf(doctype).scalars) {
    const place = columns.indexOf(key);
    // A field without a column has no value here. Every row begins with its name.
    if (place >= 0) scalars.push({ place, cut, start: startOf(key).slice(scalars.length === 0 ? 1 : 0) });
  }
  return { columns, scalars, end: `${startOf('doctype')}${JSON.stringify(doctype.name)}` };
}

function startOf(key: string): string {
  return `,${JSON.stringify(key)}:`;
}

function documentText({ row: of, tables, side }: DocumentText, row: Row, cuts: boolean): string {
  let text = `{${rowText(
    of,
    of.columns.map((column) => row[column] ?? null),
    cuts,
  )}`;
  for (const { fieldname, start, row: ofRow } of tables) {
    // Appended one by one: to join texts, each of them is copied first.
    let rows = '';
    for (const values of parseRows(row[fieldname])) {
      rows += rows === '' ? '{' : ',{';
      rows += rowText(ofRow, values, cuts);
      rows += '}';
    }
    text += `${start}[${rows}]`;
  }
  const marks = sideOf(row);
  for (const fieldname of side)
    if (marks[fieldname]) text += startOf(fieldname) + JSON.stringify(marks[fieldname]);
  return `${text}}`;
}

function rowText({ scalars, end }: RowText, values: readonly FieldValue[], cuts: boolean): string {
  let text = '';
  for (const { place, start, cut } of scalars) {
    const value = values[place] ?? null;
    if (value === null || (cut > 0 && value === '')) continue;
    text +=
      start + JSON.stringify(cut > 0 && cuts && typeof value === 'string' ? value.slice(0, cut) : value);
  }
  return text + end;
}
