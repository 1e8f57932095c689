import type { ColumnKind } from '../../db/dialect.ts';
import type { ChildRow, DocColumn, DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { isNumber, isNumbered } from '../../doctype/numbered.ts';
import { isDefinition, OTHER_PROPERTIES, shownProperties } from '../../doctype/other-properties.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { memo } from '../../kernel/memo.ts';

/** The format of a document on the wire. */
export interface WireForm {
  /** Keeps null fields; false omits them. */
  readonly nulls: boolean;
  /** Digits of timestamps and times of day. */
  readonly precision: 'seconds' | 'microseconds';
}

/**
 * A document for clients, with its keys in order: standard fields, fields in the doctype's order, for child
 * rows their place, `doctype`, the child tables, and last the side columns (`_user_tags`, …) that are set.
 * Leaves out fields that the document does not have (hidden ones).
 */
export function presentDocument(
  registry: DoctypeRegistry,
  doc: Document,
  form: WireForm,
): Record<string, unknown> {
  const order = wireOrderOf(registry.get(doc.doctype));
  const wire = presentScalars(order, doc, form);
  if (order.isNumbered && isNumber(doc.name)) wire['name'] = Number(doc.name);
  for (const [fieldname, childName] of order.tables) {
    const rows = doc[fieldname];
    if (!Array.isArray(rows)) continue;
    const child = wireOrderOf(registry.get(childName));
    wire[fieldname] = rows.map((row) => presentScalars(child, row, form));
  }
  for (const { fieldname } of order.side) if (doc[fieldname]) wire[fieldname] = doc[fieldname];
  return wire;
}

/** The keys of a document on the wire. */
export interface WireOrder {
  /** Scalar keys, and the length of their text at a precision of seconds; 0 leaves it. */
  readonly scalars: readonly (readonly [key: string, cut: number])[];
  /** Table fields and their child doctypes. */
  readonly tables: readonly (readonly [fieldname: string, childName: string])[];
  /** Shown when set. */
  readonly side: readonly DocColumn[];
  readonly isNumbered: boolean;
  /** Other properties of a definition appear like fields. */
  readonly isDefinition: boolean;
}

const PLACE = ['parent', 'parentfield', 'parenttype'] as const;

/** The layout used by `presentDocument`; the same object as long as the doctype object is the same. */
export const wireOrderOf = memo((doctype: DocType): WireOrder => {
  const place = new Set<string>(PLACE);
  const scalars: [string, number][] = [];
  const defines = isDefinition(doctype);
  for (const { fieldname, kind } of doctype.columns) {
    if (!place.has(fieldname) && !(defines && fieldname === OTHER_PROPERTIES))
      scalars.push([fieldname, cutOf(kind)]);
  }
  // Virtual fields have no column; a controller may have computed them.
  for (const field of doctype.fields) {
    if (field.is_virtual && !doctype.columnByName.has(field.fieldname))
      scalars.push([field.fieldname, cutOf(fieldtypeOf(field).column)]);
  }
  if (doctype.istable) for (const key of PLACE) scalars.push([key, 0]);
  scalars.push(['doctype', 0]);
  return {
    scalars,
    tables: doctype.tables.map((table) => [table.fieldname, table.options] as const),
    side: sideColumnsOf(doctype),
    isNumbered: isNumbered(doctype),
    isDefinition: defines,
  };
});

// At a precision of seconds a timestamp has 19 characters, a time of day 8.
function cutOf(kind: ColumnKind | null): number {
  return kind === 'datetime' ? 19 : kind === 'time' ? 8 : 0;
}

function presentScalars(
  order: WireOrder,
  holder: Document | ChildRow,
  { nulls, precision }: WireForm,
): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  const cuts = precision === 'seconds';
  for (const [key, cut] of order.scalars) {
    const held = holder[key];
    // A single that was never saved has no timestamps.
    const value = cut > 0 && held === '' ? null : held;
    if (value === undefined || (value === null && !nulls)) continue;
    wire[key] = cut > 0 && cuts && typeof value === 'string' ? value.slice(0, cut) : value;
  }
  if (order.isDefinition) Object.assign(wire, shownProperties(holder));
  return wire;
}
