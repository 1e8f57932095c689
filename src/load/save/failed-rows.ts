import { itemsOf, linesOf } from '../../exchange/file-form.ts';
import type { Cell, Line } from '../../exchange/line.ts';
import { REASON_HEAD } from '../../exchange/match-columns.ts';
import { type Fields, recordsIn } from '../../kernel/value.ts';
import type { LoadProblem } from '../problems.ts';
import type { SourceFile } from '../record.ts';
import type { ImportPlan } from './import-plan.ts';

/**
 * The rows of a file that were not imported, as CSV with the reasons, to be corrected and imported again. A
 * document has all its rows.
 */
export async function* failedRows(
  file: SourceFile,
  { form, columns }: ImportPlan,
  problems: readonly LoadProblem[],
): AsyncGenerator<string> {
  const { BYTE_ORDER_MARK, csvRows } = await import('../../exchange/write-csv.ts');
  const failed = problems.filter(({ kind }) => kind === 'error');
  const reasons = Map.groupBy(failed, ({ row }) => row);
  // The keys of records are the numbers of their first rows.
  const documents = new Set(failed.map(({ key }) => Number(key)));
  yield BYTE_ORDER_MARK + csvRows([[...columns.map(({ head }) => head), REASON_HEAD]]);
  const isRows = form.format === 'csv' || form.format === 'xlsx';
  const lines = isRows ? linesOf(file.open, form) : linesOfItems(file, form, columns);
  let isFailed = false;
  let last = 0;
  const own = columns.flatMap(({ target }, at) => (target?.includes('.') ? [] : [at]));
  for await (const { number, cells } of lines) {
    if (number <= form.headerRow) continue;
    const begins = own.some((at) => (cells[at] ?? null) !== null);
    if (begins || documents.has(number)) isFailed = documents.has(number);
    if (!isFailed && !reasons.has(number)) continue;
    const found = number === last ? [] : (reasons.get(number) ?? []);
    const said = found.map(({ field, reason }) => (field === '' ? reason : `${field}: ${reason}`));
    last = number;
    yield csvRows([[...columns.map((_, at) => cells[at] ?? null), said.join('; ') || null]]);
  }
}

/** Objects as rows: one for each row of their longest child table. */
async function* linesOfItems(
  { open }: SourceFile,
  form: ImportPlan['form'],
  columns: ImportPlan['columns'],
): AsyncGenerator<Line> {
  for await (const { number, fields } of itemsOf(open, form)) {
    const rows = Object.values(fields).map((value) => recordsIn(value).length);
    for (let at = 0; at < Math.max(1, ...rows); at += 1) {
      yield { number, cells: columns.map(({ head }) => cellIn(fields, head, at)) };
    }
  }
}

function cellIn(fields: Fields, head: string, at: number): Cell {
  if (Object.hasOwn(fields, head)) return at === 0 ? scalar(fields[head]) : null;
  const [table = '', ...names] = head.split('.');
  return scalar(recordsIn(fields[table])[at]?.[names.join('.')]);
}

function scalar(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}
