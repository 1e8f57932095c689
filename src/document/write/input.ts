import { type FieldSet, writableFields } from '../../access/field-level.ts';
import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { isSetByServer } from '../../doctype/field-rules.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import { type Change, noteProblem } from '../change.ts';
import { isAmendedFrom } from '../check/amendment.ts';
import { isOwnWork } from '../context.ts';
import type { Context } from '../contract.ts';
import { newRow, rowsOf } from '../document.ts';
import { type FieldColumn, layoutOf } from '../layout.ts';
import { applyDefaults } from '../load/defaults.ts';

/** PostgreSQL's largest integer. */
const LARGEST_IDX = 2 ** 31 - 1;

/**
 * Writes the sent values into the document: fields of the doctype that the user may write, in stored form.
 * Ignores unknown fields, fields set by the server, and those above the user's level. A sent
 * child table replaces all rows. A row with the name of a replaced row keeps that name, and null empties its
 * fields. A value that its field cannot hold becomes a problem of the change.
 * @throws ServiceError ValidationError when a child table is not a list of objects, or has too many rows
 */
export function applyFields(ctx: Context, change: Change): void {
  const { doctype, doc, input } = change;
  const writable = writableFields(ctx.user, doctype);
  const idx = idxOf(input);
  if (idx !== null) doc.idx = idx;
  for (const column of layoutOf(doctype).fields) {
    const value = sent(input, column.fieldname);
    if (value === undefined || !mayWrite(ctx, doctype, writable, column.field)) continue;
    // On a creation null means "not given", so that a default stands.
    if (value === null && change.before === null) continue;
    assign(change, doc, column, value);
  }
  for (const table of doctype.tables) {
    const value = sent(input, table.fieldname);
    if (value !== undefined && mayWrite(ctx, doctype, writable, table)) {
      doc[table.fieldname] = readRows(ctx, change, table, value);
    }
  }
}

/**
 * True when values that the request sends for a field are stored. Clients send whole documents back, so
 * values for a field that the server sets are ignored and not an error. Server code may set it.
 */
export function mayWrite(ctx: Context, doctype: DocType, writable: FieldSet, field: DocField): boolean {
  if (isSetByServer(field) && !isOwnWork(ctx) && !isAmendedFrom(doctype, field)) return false;
  return writable === 'all' || writable.has(field.fieldname);
}

/**
 * The same fields, with the rows of each child table in the order of their `idx`, if every row has one. Rows
 * that all came from one document have; so have rows that a program inserts between others.
 */
export function orderRows(doctype: DocType, fields: Fields): Fields {
  let ordered = fields;
  for (const { fieldname } of doctype.tables) {
    const rows = sent(fields, fieldname);
    if (!Array.isArray(rows)) continue;
    const places = rows.map((row, at) => ({ row, idx: isRecord(row) ? idxOf(row) : null, at }));
    if (places.some(({ idx }) => idx === null || idx === 0)) continue;
    places.sort((one, other) => Number(one.idx) - Number(other.idx) || one.at - other.at);
    ordered = { ...ordered, [fieldname]: places.map(({ row }) => row) };
  }
  return ordered;
}

/** The sent `idx`; null when absent, or when it is no number of a row. */
export function idxOf(fields: Fields): number | null {
  const value = sent(fields, 'idx');
  const idx = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof idx === 'number' && Number.isInteger(idx) && idx >= 0 && idx <= LARGEST_IDX ? idx : null;
}

// Only own properties: `constructor` or `__proto__` in a body are ordinary, unknown keys.
function sent(fields: Fields, fieldname: string): unknown {
  return Object.hasOwn(fields, fieldname) ? fields[fieldname] : undefined;
}

function assign(change: Change, holder: Document | ChildRow, column: FieldColumn, value: unknown): void {
  try {
    holder[column.fieldname] = fieldtypeOf(column.field).coerce(value, column.field);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    holder[column.fieldname] = column.empty;
    noteProblem(change, { holder, fieldname: column.fieldname, error, isSent: true });
  }
}

/** The rows of a table in a request. @throws ServiceError ValidationError */
export function requireRows({ label }: DocField, value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) {
    throw new ServiceError('ValidationError', `Value for ${label} must be a list of rows`);
  }
  if (value.length > LIMITS.childRows) {
    throw new ServiceError('ValidationError', `${label} has more than ${LIMITS.childRows} rows`);
  }
  return value.map((row: unknown, index) => {
    if (isRecord(row)) return row;
    throw new ServiceError('ValidationError', `${label} Row #${index + 1} must be an object`);
  });
}

function readRows(ctx: Context, change: Change, table: DocField, value: unknown): ChildRow[] {
  if (value === null) return [];
  const rows = requireRows(table, value);
  const child = ctx.doctypes.get(table.options);
  const writable = writableFields(ctx.user, child, change.doctype);
  const replaceable = new Map<unknown, ChildRow>();
  if (change.before) {
    for (const row of rowsOf(change.before, table.fieldname)) replaceable.set(row.name, row);
  }
  return rows.map((input, index) => {
    const replaced = replaceable.get(sent(input, 'name'));
    if (replaced) replaceable.delete(replaced.name);
    return readRow(ctx, change, child, writable, input, index, replaced);
  });
}

function readRow(
  ctx: Context,
  change: Change,
  child: DocType,
  writable: FieldSet,
  input: Fields,
  index: number,
  replaced: ChildRow | undefined,
): ChildRow {
  const row = newRow(child);
  row.idx = index + 1;
  applyDefaults(ctx, child, row);
  if (replaced) row.name = replaced.name;
  for (const column of layoutOf(child).fields) {
    if (!mayWrite(ctx, child, writable, column.field)) {
      if (replaced) row[column.fieldname] = replaced[column.fieldname] ?? column.empty;
      continue;
    }
    const value = sent(input, column.fieldname);
    // As for documents: in a new row null means "not given", in an existing one it empties the field.
    if (value !== undefined && (value !== null || replaced)) assign(change, row, column, value);
  }
  return row;
}
