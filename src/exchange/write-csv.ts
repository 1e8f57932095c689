import { stringify } from 'csv-stringify/sync';
import { guardFormula } from './formula-guard.ts';
import type { Cell } from './line.ts';
import { momentText } from './moment-text.ts';

/** Spreadsheets take a file that begins with it for UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Rows as CSV (RFC 4180). Texts are guarded against formulas. */
export function csvRows(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((cells) => cells.map(textOf));
  return stringify(texts, { record_delimiter: 'windows', quoted_match: /^\s|\s$|[\r\n\t;|]/ });
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return guardFormula(cell);
  if (typeof cell === 'boolean') return cell ? '1' : '0';
  return cell instanceof Date ? momentText(cell) : String(cell);
}
