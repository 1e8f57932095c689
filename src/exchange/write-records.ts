import type { DocField } from '../doctype/doctype.ts';
import { type Fields, recordsIn } from '../kernel/value.ts';
import type { Cell, Format } from './line.ts';
import type { SheetColumn } from './write-xlsx.ts';

/** A column of an export: a field of the document, or of the rows of one of its tables. */
export interface ExportColumn {
  readonly head: string;
  readonly fieldname: string;
  /** The field of the table; null for a field of the document. */
  readonly table: string | null;
  /** Null for a standard column. */
  readonly field: DocField | null;
}

/** Documents as the API lists them: child tables are arrays of rows. */
export type Pages = AsyncIterable<readonly Fields[]>;

/**
 * A file of documents, written while they arrive. In CSV and XLSX each child row is a line; the first line of a
 * document has its own fields too. `readRecords` gives the same documents.
 * @throws ServiceError ValidationError for a text that the format cannot hold
 */
export async function* writeRecords(
  pages: Pages,
  columns: readonly ExportColumn[],
  format: Format,
  title: string,
): AsyncGenerator<Uint8Array> {
  if (format === 'xlsx') {
    // The libraries load with the first file.
    const { xlsxBytes } = await import('./write-xlsx.ts');
    yield* xlsxBytes(sheetLines(pages, columns), columns.map(sheetColumn), title);
    return;
  }
  const texts =
    format === 'csv'
      ? csvTexts(pages, columns)
      : format === 'json'
        ? jsonTexts(pages, columns)
        : ndjson(pages, columns);
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}

async function* csvTexts(pages: Pages, columns: readonly ExportColumn[]): AsyncGenerator<string> {
  const { BYTE_ORDER_MARK, csvRows } = await import('./write-csv.ts');
  yield BYTE_ORDER_MARK + csvRows([columns.map(({ head }) => head)]);
  for await (const docs of pages) {
    const lines = docs.flatMap((doc) => linesOf(doc, columns, (_field, value) => plainCell(value)));
    if (lines.length > 0) yield csvRows(lines);
  }
}

async function* sheetLines(pages: Pages, columns: readonly ExportColumn[]): AsyncGenerator<readonly Cell[]> {
  for await (const docs of pages) for (const doc of docs) yield* linesOf(doc, columns, sheetCell);
}

async function* jsonTexts(pages: Pages, columns: readonly ExportColumn[]): AsyncGenerator<string> {
  let before = '[\n';
  for await (const docs of pages) {
    if (docs.length === 0) continue;
    yield before + docs.map((doc) => JSON.stringify(objectOf(doc, columns))).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

async function* ndjson(pages: Pages, columns: readonly ExportColumn[]): AsyncGenerator<string> {
  for await (const docs of pages) {
    const text = docs.map((doc) => `${JSON.stringify(objectOf(doc, columns))}\n`).join('');
    if (text !== '') yield text;
  }
}

type CellOf = (field: DocField | null, value: unknown) => Cell;

function linesOf(
  doc: Fields,
  columns: readonly ExportColumn[],
  cellOf: CellOf,
): readonly (readonly Cell[])[] {
  const tables = new Map<string, readonly Fields[]>();
  for (const { table } of columns) if (table !== null) tables.set(table, recordsIn(doc[table]));
  const count = Math.max(1, ...[...tables.values()].map((rows) => rows.length));
  return Array.from({ length: count }, (_, at) =>
    columns.map(({ table, fieldname, field }) => {
      const holder = table !== null ? tables.get(table)?.[at] : at === 0 ? doc : undefined;
      return cellOf(field, holder?.[fieldname]);
    }),
  );
}

function objectOf(doc: Fields, columns: readonly ExportColumn[]): Fields {
  const object: Record<string, unknown> = {};
  for (const { table, fieldname } of columns) {
    if (table === null) object[fieldname] = doc[fieldname] ?? null;
    else object[table] ??= recordsIn(doc[table]).map((row) => only(row, table, columns));
  }
  return object;
}

function only(row: Fields, of: string, columns: readonly ExportColumn[]): Fields {
  const own = columns.filter(({ table }) => table === of);
  return Object.fromEntries(own.map(({ fieldname }) => [fieldname, row[fieldname] ?? null]));
}

function plainCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return JSON.stringify(value);
  return value as Cell;
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['Date', 'yyyy-mm-dd'],
  ['Datetime', 'yyyy-mm-dd hh:mm:ss'],
  ['Time', 'hh:mm:ss'],
]);

function sheetColumn({ head, field }: ExportColumn): SheetColumn {
  return { head, format: FORMATS.get(field?.fieldtype ?? '') ?? null };
}

// Dates and times are cells of their own, where a spreadsheet can hold them exactly.
function sheetCell(field: DocField | null, value: unknown): Cell {
  const cell = plainCell(value);
  if (typeof cell !== 'string' || !FORMATS.has(field?.fieldtype ?? '')) return cell;
  const clock = CLOCK.exec(cell);
  if (clock) return secondsOf(clock[1] ?? '') / DAY;
  const [, date = '', time = '00:00:00'] = MOMENT.exec(cell) ?? [];
  return date >= FIRST_DAY ? new Date(`${date}T${time}Z`) : cell;
}

function secondsOf(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

const DAY = 86_400;
/** Before it Excel counts a day that never was. */
const FIRST_DAY = '1900-03-01';
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.0+)?)?$/;
const CLOCK = /^(\d{1,2}:\d\d:\d\d)(?:\.0+)?$/;
