import { isIn, mayLearn, readableFields } from '../../access/field-level.ts';
import { requirePermission } from '../../access/permission.ts';
import { rowFilter } from '../../access/row-filter.ts';
import { sql } from '../../db/sql.ts';
import type { DocField, DocType } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import type { Format } from '../../exchange/line.ts';
import { type ExportColumn, type Pages, writeRecords } from '../../exchange/write-records.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { ListParameters } from '../../query/list-query.ts';
import type { Context } from '../contract.ts';
import { allowedList, listDocuments } from './list.ts';
import { isListOfDocuments, streamList } from './list-stream.ts';
import { noteExport } from './note-export.ts';

/** The documents and the columns of an export. */
export interface ExportRequest extends Pick<ListParameters, 'filters' | 'or_filters' | 'order_by'> {
  /** `customer`, `items.qty`, `items` for all columns of a table; empty for all columns. */
  readonly fields: readonly string[];
  readonly format: Format;
  /** Heads are labels instead of fieldnames, in CSV and XLSX. */
  readonly hasLabels: boolean;
}

/**
 * A file of all documents of a list that the user may read and export, in pieces, of which only one at a time is in
 * memory. The audit log records it.
 * @throws ServiceError PermissionError without the right to export, and the errors of a list; possibly from the pieces
 */
export async function exportList(
  ctx: Context,
  doctypeName: string,
  request: ExportRequest,
): Promise<AsyncGenerator<Uint8Array>> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable) {
    throw new ServiceError(
      'ValidationError',
      `${doctype.name} is a child table: export the documents that have it`,
    );
  }
  requirePermission(ctx.user, doctype, 'export');
  const columns = columnsOf(ctx, doctype, request);
  const { filters, or_filters, order_by } = request;
  const pages = await pagesOf(ctx, doctype, { filters, or_filters, order_by, fields: selected(columns) });
  return writeRecords(pages, columns, request.format, doctype.name);
}

async function pagesOf(ctx: Context, doctype: DocType, parameters: ListParameters): Promise<Pages> {
  const { query, filter, from } = allowedList(ctx, doctype.name, { ...parameters, as_dict: true });
  const whole = { ...query, limit: null };
  await noteExport(ctx, whole);
  const exported = rowFilter(ctx.user, doctype, 'export', ctx.doctypes);
  const both = exported && filter ? sql`${filter} and (${exported})` : (exported ?? filter);
  if (!isListOfDocuments(whole, both)) return only(listDocuments(ctx, doctype.name, parameters));
  return parsed((await streamList(from, whole, both, null)).pieces);
}

async function* only(rows: Promise<readonly Fields[]>): AsyncGenerator<readonly Fields[]> {
  yield await rows;
}

// The pieces of a JSON array: its bracket, or a comma, and rows; the other bracket last.
async function* parsed(pieces: AsyncIterable<string>): AsyncGenerator<readonly Fields[]> {
  for await (const piece of pieces) {
    const rows = piece.replace(/^[[,]/, '').replace(/^\]$/, '');
    if (rows !== '') yield JSON.parse(`[${rows}]`) as readonly Fields[];
  }
}

/** The columns as the `fields` of a list. */
function selected(columns: readonly ExportColumn[]): readonly unknown[] {
  const own = columns.filter(({ table }) => table === null).map(({ fieldname }) => fieldname);
  const tables = new Map<string, string[]>();
  for (const { table, fieldname } of columns) {
    if (table !== null) tables.set(table, [...(tables.get(table) ?? []), fieldname]);
  }
  return [...new Set(['name', ...own]), ...[...tables].map(([table, names]) => ({ [table]: names }))];
}

function columnsOf(
  ctx: Context,
  doctype: DocType,
  { fields, hasLabels, format }: ExportRequest,
): ExportColumn[] {
  const all = everyColumn(ctx, doctype);
  const chosen =
    fields.length === 0 ? all.filter(isUsual) : fields.flatMap((name) => named(doctype, all, name));
  if (!hasLabels || format === 'json' || format === 'ndjson') return chosen;
  const heads = chosen.map((column) => labelOf(doctype, column));
  // Two equal heads would not be told apart by an import.
  return chosen.map((column, at) => {
    const head = heads[at] ?? column.head;
    return heads.indexOf(head) === heads.lastIndexOf(head) ? { ...column, head } : column;
  });
}

/** All columns that the user may read: those of the document, then those of child rows. */
function everyColumn(ctx: Context, doctype: DocType): ExportColumn[] {
  const own = doctype.columns.map(({ fieldname, field }) => ({
    head: fieldname,
    fieldname,
    table: null,
    field,
  }));
  const isShown = (holder: DocType, field: DocField | null, table?: DocField) =>
    field === null ||
    (fieldtypeOf(field).column !== null &&
      !field.is_virtual &&
      mayLearn(ctx.user, holder, field.fieldname, table && { parent: doctype, table: table.fieldname }));
  const tables = doctype.tables.filter(({ fieldname }) => isIn(readableFields(ctx.user, doctype), fieldname));
  const rows = tables.flatMap((table) => {
    const child = ctx.doctypes.get(table.options);
    return child.fields
      .filter((field) => isShown(child, field, table))
      .map((field) => ({
        head: `${table.fieldname}.${field.fieldname}`,
        fieldname: field.fieldname,
        table: table.fieldname,
        field,
      }));
  });
  return [...own.filter(({ field }) => isShown(doctype, field)), ...rows];
}

// The place of a document in a list is no content.
function isUsual({ fieldname, table }: ExportColumn): boolean {
  return table !== null || fieldname !== 'idx';
}

function named(doctype: DocType, all: readonly ExportColumn[], name: string): readonly ExportColumn[] {
  const found = all.filter(({ head, table }) => head === name || table === name);
  if (found.length > 0) return found;
  throw new ServiceError('DataError', `${doctype.name} has no field ${name} to export`);
}

const STANDARD: Readonly<Record<string, string>> = { name: 'ID', docstatus: 'Document Status' };

function labelOf(doctype: DocType, { fieldname, table, field, head }: ExportColumn): string {
  if (field === null) return STANDARD[fieldname] ?? head;
  const label = field.label || fieldname;
  if (table === null) return label;
  return `${doctype.fieldByName.get(table)?.label || table} / ${label}`;
}
