import type { Row } from '../../../grid/list-requests.ts';
import type { ExportColumn } from './export-columns.ts';

/** One line of values for each child row, and one for a document without any. Fields of the document repeat. */
export function linesOf(doc: Row, columns: readonly ExportColumn[]): readonly (readonly unknown[])[] {
  const tables = new Map<string, readonly Row[]>();
  for (const { table } of columns) if (table !== null) tables.set(table, childRows(doc, table));
  const count = Math.max(1, ...[...tables.values()].map((rows) => rows.length));
  return Array.from({ length: count }, (_, at) =>
    columns.map(({ field, table }) => {
      const row = table === null ? doc : tables.get(table)?.[at];
      return row?.[field.fieldname] ?? null;
    }),
  );
}

/** A document with the chosen fields, and its child rows as arrays. */
export function nestedOf(doc: Row, columns: readonly ExportColumn[]): Row {
  const nested: Record<string, unknown> = {};
  for (const { field, table } of columns) {
    if (table === null) nested[field.fieldname] = doc[field.fieldname] ?? null;
    else nested[table] ??= childRows(doc, table).map((row) => only(row, columns, table));
  }
  return nested;
}

/** A line as an object: its keys are those of the columns. */
export function flatOf(line: readonly unknown[], columns: readonly ExportColumn[]): Row {
  return Object.fromEntries(columns.map(({ key }, at) => [key, line[at]]));
}

function only(row: Row, columns: readonly ExportColumn[], of: string): Row {
  const own = columns.filter(({ table }) => table === of);
  return Object.fromEntries(own.map(({ field }) => [field.fieldname, row[field.fieldname] ?? null]));
}

function childRows(doc: Row, table: string): readonly Row[] {
  const rows = doc[table];
  return Array.isArray(rows) ? (rows as Row[]) : [];
}
