import type { ListQuery } from '../data/documents.ts';
import { BYTE_ORDER_MARK, csvLine, csvRow } from './list-csv.ts';
import { eachPage, type Row } from './list-requests.ts';
import { isChosen, type Selection } from './list-selection.ts';

export interface ExportOptions {
  readonly format: 'csv' | 'json';
  /** Fieldnames, in order. */
  readonly fields: readonly string[];
  /** Text that a spreadsheet would take for a formula gets a leading apostrophe. */
  readonly isGuarded: boolean;
}

/** Rows per request: enough for speed, and for the server's audit log to record an export. */
const ROWS = 2_000;
/** Names per request, limited by the length of an address. */
const NAMES = 100;

/**
 * Exports the selected rows of a query page by page. The query asks for at least `name` and the exported
 * fields. Memory holds only the finished text, never all rows.
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
  for await (const rows of chosenRows(doctype, query, selection, signal)) {
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
  if (selection.mode === 'all') {
    for await (const rows of eachPage(doctype, query, ROWS, signal))
      yield rows.filter((row) => isChosen(selection, String(row['name'])));
    return;
  }
  const names = [...selection.names];
  for (let at = 0; at < names.length; at += NAMES) {
    const filters = [['name', 'in', names.slice(at, at + NAMES)] as const];
    yield* eachPage(doctype, { fields: query.fields, filters, order_by: query.order_by }, NAMES, signal);
  }
}

// The query also asks for fields that are not exported, such as the name.
function only(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

/** Starts a browser download of a file. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The download starts within a turn, so the bytes can be released soon.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
