import { PASSWORD_MASK } from '../../access/secret.ts';
import type { ChildRow, DocColumn, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Fields, type FieldValue, isRecord } from '../../kernel/value.ts';
import { standardField } from '../../query/comparison-value.ts';
import type { Context } from '../contract.ts';
import { newDocument, newRow } from '../document.ts';

/**
 * Builds a document from the values of a virtual doctype's controller: every column and table is present,
 * every value in its stored form. Values need the right type, but may be longer, or have other options, than
 * a client could send.
 * @throws ServiceError ValidationError naming the document and the field
 */
export function virtualDocument(ctx: Context, doctype: DocType, given: Fields): Document {
  const doc = newDocument(doctype);
  doc.owner = 'Administrator';
  doc.modified_by = 'Administrator';
  takeOver(ctx, doctype, doc, given);
  if (doc.name === '')
    throw new Error(`the controller of ${doctype.name} returned a document without a name`);
  return doc;
}

/** Copies a controller's values into a document; absent fields stay unchanged. */
export function takeOver(ctx: Context, doctype: DocType, doc: Document, given: Fields): void {
  takeColumns(doctype, doc, given, `${doctype.name} ${String(given['name'] ?? doc.name)}`);
  for (const { fieldname, options, label } of doctype.tables) {
    const rows = own(given, fieldname);
    if (rows === undefined) continue;
    if (rows !== null && !Array.isArray(rows)) throw wrong(doctype.name, `${label} must be an array of rows`);
    const child = ctx.doctypes.get(options);
    const taken = (rows ?? []).map((row: unknown, index: number) => {
      if (!isRecord(row)) throw wrong(doctype.name, `${label} must be an array of rows`);
      return virtualRow(child, doc, fieldname, row, index + 1);
    });
    doc[fieldname] = taken;
  }
}

function virtualRow(child: DocType, doc: Document, table: string, given: Fields, idx: number): ChildRow {
  const row = newRow(child);
  row.name = `${doc.name}-${table}-${idx}`;
  row.owner = doc.owner;
  row.creation = doc.creation;
  row.modified = doc.modified;
  row.modified_by = doc.modified_by;
  row.docstatus = doc.docstatus;
  takeColumns(child, row, given, `${doc.doctype} ${doc.name}: Row #${idx}`);
  row.idx = idx;
  row.parent = doc.name;
  row.parentfield = table;
  row.parenttype = doc.doctype;
  return row;
}

function takeColumns(doctype: DocType, holder: Document | ChildRow, given: Fields, place: string): void {
  for (const column of doctype.columns) {
    const value = own(given, column.fieldname);
    if (value === undefined || (value === null && !column.field)) continue;
    try {
      holder[column.fieldname] = storedValue(column, value);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw wrong(place, error.message);
    }
  }
}

function storedValue(column: DocColumn, value: unknown): FieldValue {
  const field = column.field ?? standardField(column);
  if (value === null || (value === '' && column.kind !== 'text')) return column.empty;
  // A mask, as everywhere: no list and no reply contains a secret.
  if (field.fieldtype === 'Password') return value === '' ? null : PASSWORD_MASK;
  const fieldtype = fieldtypeOf(field);
  return column.kind === 'integer' ? fieldtype.coerce(value, field) : fieldtype.coerceOperand(value, field);
}

function own(fields: Fields, fieldname: string): unknown {
  return Object.hasOwn(fields, fieldname) ? fields[fieldname] : undefined;
}

function wrong(place: string, problem: string): ServiceError {
  return new ServiceError('ValidationError', `${place}: ${problem}`);
}
