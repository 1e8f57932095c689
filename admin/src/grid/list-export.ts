import type { ListQuery } from '../data/documents.ts';
import { BYTE_ORDER_MARK, csvLine, csvRow } from './list-csv.ts';
import { eachPage, type Row } from './list-requests.ts';
import { isChosen, type Selection } from './list-selection.ts';

export interface ExportOptions {
  readonly format: 'csv' | 'json';
  /** Fieldnames, in order. */
  readonly fields: readonly string[];
  /** Texts that a spreadsheet would take for a formula get an apostrophe before them. */
  readonly isGuarded: boolean;
}

/** Rows of one request: enough to be fast, and an export to the server's audit log, which it is. */
const ROWS = 2_000;
/** Names of one request: an address has its limits. */
const NAMES = 100;

/**
 * Reads the chosen rows of a query into a file, page by page: what is held are the finished texts, never all
 * rows.
 */
export async function exportRows(
  doctype: string,
  query: ListQuery,
  selection: Selection,
  { format, fields, isGuarded }: ExportOptions,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (rows: number) => void },
): Promise<Blob> {
  const parts: Blob[] = [];
  let count = 0;
  if (format === 'csv') parts.push(new Blob([BYTE_ORDER_MARK, csvLine(fields)]));
  for await (const rows of chosenRows(doctype, { ...query, fields }, selection, signal)) {
    const lines =
      format === 'csv'
        ? rows.map((row) => csvRow(row, fields, { isGuarded }))
        : rows.map((row, at) => `${count + at === 0 ? '' : ',\n'}${JSON.stringify(only(row, fields))}`);
    parts.push(new Blob(lines));
    count += rows.length;
    onProgress(count);
  }
  if (format === 'csv') return new Blob(parts, { type: 'text/csv;charset=utf-8' });
  return new Blob(['[\n', ...parts, '\n]\n'], { type: 'application/json' });
}

async function* chosenRows(
  doctype: string,
  query: ListQuery,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const fields = [...new Set([...(query.fields ?? []), 'name'])];
  if (selection.mode === 'all') {
    for await (const rows of eachPage(doctype, { ...query, fields }, ROWS, signal))
      yield rows.filter((row) => isChosen(selection, String(row['name'])));
    return;
  }
  const names = [...selection.names];
  for (let at = 0; at < names.length; at += NAMES) {
    const filters = [['name', 'in', names.slice(at, at + NAMES)] as const];
    yield* eachPage(doctype, { fields, filters, order_by: query.order_by }, NAMES, signal);
  }
}

// The name is asked for in any case, to know which row it is.
function only(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The download has begun by the next turn; the bytes need not be held any longer than it takes.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
