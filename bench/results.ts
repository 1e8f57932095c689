import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What one run of a bench found: a table. Its numbers are exact here and rounded when they are printed. */
export interface Results {
  /** Engine, size and number of runs. */
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Lines below the table. */
  readonly notes?: readonly string[];
}

/** Prints the results and, if a path is given, writes them there for `npm run bench:readme`. */
export function report(results: Results, path: string | undefined): void {
  console.log(`\n${markdownOf(results)}`);
  if (!path) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

export function markdownOf({ title, head, rows, notes = [] }: Results): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(textOf).join(' | ')} |`;
  const isNumeric = (column: number) =>
    rows.every((row) => /^[\d.,%±()-]*( |$)/.test(textOf(row[column] ?? '')));
  const rule = head.map((_, column) => (isNumeric(column) ? '--:' : '---'));
  return [
    title,
    '',
    line(head),
    `|${rule.join('|')}|`,
    ...rows.map(line),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}

/** Integers as they are, other numbers with three digits or all those before the decimal point. */
function textOf(cell: string | number): string {
  if (typeof cell === 'string' || Number.isInteger(cell)) return String(cell);
  const size = Math.abs(cell);
  return cell.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}
