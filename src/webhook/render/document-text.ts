import type { ChildRow, DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { isNumber } from '../../doctype/numbered.ts';
import { presentDocument, wireOrderOf } from '../../document/load/present.ts';
import { memo } from '../../kernel/memo.ts';
import { isRecord } from '../../kernel/value.ts';
import { floatText, jsonText, quote } from './python-json.ts';

export interface PayloadFormat {
  readonly doctypes: DoctypeRegistry;
  /** Digits of timestamps. */
  readonly precision: 'seconds' | 'microseconds';
}

/**
 * The layout of a document for receivers: as clients see it, nulls included, but without Password fields at
 * any depth. Precomputed per doctype, because every save with a webhook uses it.
 */
export interface Shape {
  readonly scalars: readonly ScalarText[];
  readonly tables: readonly TableText[];
  /** Included when set. */
  readonly sides: readonly ScalarText[];
  /** All of them, by fieldname. */
  readonly byName: ReadonlyMap<string, ScalarText | TableText>;
  /** A definition: it also contains properties that are not fields. */
  readonly isDefinition: boolean;
}

interface ScalarText {
  readonly kind: 'scalar';
  readonly fieldname: string;
  /** `, "fieldname": `. */
  readonly start: string;
  /** The length of a timestamp in whole seconds; 0 for other types. */
  readonly cut: number;
  readonly isFloat: boolean;
  /** A number whose text the document holds. */
  readonly isNumbered: boolean;
}

interface TableText {
  readonly kind: 'table';
  readonly fieldname: string;
  readonly start: string;
  readonly childName: string;
}

/** The shape of a doctype; the same object as long as the doctype object is the same. */
export const shapeOf = memo(makeShape);

function makeShape(doctype: DocType): Shape {
  const order = wireOrderOf(doctype);
  const scalar = (fieldname: string, cut: number): ScalarText => {
    const isFloat = doctype.columnByName.get(fieldname)?.kind === 'real';
    const isNumbered = fieldname === 'name' && order.isNumbered;
    return { kind: 'scalar', fieldname, start: startOf(fieldname), cut, isFloat, isNumbered };
  };
  const scalars = order.scalars
    .filter(([key]) => !isSecret(doctype, key))
    .map(([key, cut]) => scalar(key, cut));
  const sides = order.side.map(({ fieldname }) => scalar(fieldname, 0));
  const tables = order.tables.map(([fieldname, childName]): TableText => {
    return { kind: 'table', fieldname, start: startOf(fieldname), childName };
  });
  const byName = new Map([...scalars, ...tables, ...sides].map((one) => [one.fieldname, one]));
  return { scalars, tables, sides, byName, isDefinition: order.isDefinition };
}

function startOf(fieldname: string): string {
  return `, ${quote(fieldname)}: `;
}

function isSecret(doctype: DocType, fieldname: string): boolean {
  return doctype.fieldByName.get(fieldname)?.fieldtype === 'Password';
}

/** The members of the object that a whole document is, as JSON text without its braces. */
export function documentText(format: PayloadFormat, doctype: DocType, doc: Document): string {
  const shape = shapeOf(doctype);
  if (shape.isDefinition) return jsonText(visibleDocument(format, doctype, doc)).slice(1, -1);
  let text = rowText(format, shape, doc);
  for (const table of shape.tables) {
    const rows = doc[table.fieldname];
    if (Array.isArray(rows)) text += table.start + tableText(format, table, rows);
  }
  for (const side of shape.sides) {
    const value = doc[side.fieldname];
    if (value) text += side.start + scalarText(side, value, false);
  }
  return text;
}

/** The value of one field as JSON text; `null` for a missing or secret one. */
export function fieldText(format: PayloadFormat, doctype: DocType, doc: Document, fieldname: string): string {
  const field = shapeOf(doctype).byName.get(fieldname);
  if (!field) return 'null';
  const value = doc[fieldname];
  if (field.kind === 'scalar') return scalarText(field, value, format.precision === 'seconds');
  return Array.isArray(value) ? tableText(format, field, value) : 'null';
}

/** The same document as data, for templates. */
export function visibleDocument(
  format: PayloadFormat,
  doctype: DocType,
  doc: Document,
): Record<string, unknown> {
  const wire = presentDocument(format.doctypes, doc, { nulls: true, precision: format.precision });
  dropSecrets(doctype, wire);
  for (const { fieldname, childName } of shapeOf(doctype).tables) {
    const rows = wire[fieldname];
    const child = format.doctypes.get(childName);
    if (Array.isArray(rows)) for (const row of rows) if (isRecord(row)) dropSecrets(child, row);
  }
  return wire;
}

function dropSecrets(doctype: DocType, wire: Record<string, unknown>): void {
  for (const field of doctype.fields) if (field.fieldtype === 'Password') delete wire[field.fieldname];
}

function tableText(format: PayloadFormat, table: TableText, rows: readonly ChildRow[]): string {
  const shape = shapeOf(format.doctypes.get(table.childName));
  return `[${rows.map((row) => `{${rowText(format, shape, row)}}`).join(', ')}]`;
}

function rowText(format: PayloadFormat, shape: Shape, holder: Document | ChildRow): string {
  const cuts = format.precision === 'seconds';
  let text = '';
  for (const field of shape.scalars) {
    const value = holder[field.fieldname];
    if (value !== undefined) text += field.start + scalarText(field, value, cuts);
  }
  return text.slice(2);
}

function scalarText(field: ScalarText, value: unknown, cuts: boolean): string {
  if (typeof value === 'string') {
    if (field.isNumbered && isNumber(value)) return value;
    if (field.cut === 0) return quote(value);
    // A single that was never saved has no timestamps.
    if (value === '') return 'null';
    return quote(cuts ? value.slice(0, field.cut) : value);
  }
  if (typeof value === 'number' && field.isFloat) return floatText(value);
  return jsonText(value);
}
