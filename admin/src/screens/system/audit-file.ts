import type { ListQuery } from '../../data/documents.ts';
import { BYTE_ORDER_MARK, csvLine, csvRow } from '../../grid/list-csv.ts';
import { eachPage, type Row } from '../../grid/list-requests.ts';
import { AUDIT_FIELDS } from './audit-data.ts';

/** Rows per request. */
const ROWS = 2_000;

export interface AuditFile {
  readonly blob: Blob;
  readonly count: number;
}

/** All entries of a query as a file. Memory holds the finished text and one page. */
export async function auditFile(
  format: 'csv' | 'json',
  query: ListQuery,
  signal: AbortSignal,
): Promise<AuditFile> {
  const isCsv = format === 'csv';
  const parts: Blob[] = [new Blob(isCsv ? [BYTE_ORDER_MARK, csvLine(AUDIT_FIELDS)] : ['[\n'])];
  let count = 0;
  for await (const rows of eachPage('Audit Log', query, ROWS, signal)) {
    const lines = rows.map((row, at) => {
      if (isCsv) return csvRow(valuesOf(row), { isGuarded: true });
      return `${count + at === 0 ? '' : ',\n'}${JSON.stringify(row)}`;
    });
    parts.push(new Blob(lines));
    count += rows.length;
  }
  if (!isCsv) parts.push(new Blob(['\n]\n']));
  return { blob: new Blob(parts, { type: isCsv ? 'text/csv;charset=utf-8' : 'application/json' }), count };
}

function valuesOf(row: Row): readonly unknown[] {
  return AUDIT_FIELDS.map((field) => row[field]);
}
