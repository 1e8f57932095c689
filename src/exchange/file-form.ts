import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import type { Delimiter } from './csv-form.ts';
import { detectEncoding, type Encoding } from './encoding.ts';
import { type Cell, type Format, formatNamed, isEmpty, type Line, type OpenBytes } from './line.ts';
import { type DetectedLocale, detectLocale, type Locale } from './locale.ts';
import { columnsOf, type MatchedColumn, type Matcher } from './match-columns.ts';
import { type Item, readJson, readNdjson } from './read-json.ts';
import { type ImportRecord, recordsOfItems, recordsOfLines } from './records.ts';
import type { Targets } from './targets.ts';

/** How a file is written: what a person chose, and what was detected. */
export interface FileForm {
  readonly format: Format;
  readonly encoding: Encoding;
  /** CSV only. */
  readonly delimiter: Delimiter;
  /** The row of the heads; 0 for none. CSV and XLSX only. */
  readonly headerRow: number;
  readonly locale: Locale;
}

/** The choices of a person; the rest is detected. */
export interface FormChoices {
  readonly format?: Format | undefined;
  readonly encoding?: Encoding | undefined;
  readonly delimiter?: Delimiter | undefined;
  readonly headerRow?: number | undefined;
  readonly dates?: Locale['dates'] | undefined;
  readonly decimal?: Locale['decimal'] | undefined;
}

/** The begin of a file: its form, its columns with targets, and rows. */
export interface FileHead {
  readonly form: FileForm;
  readonly ambiguous: DetectedLocale['ambiguous'];
  readonly columns: readonly MatchedColumn[];
  /** For each column, values of the first rows. */
  readonly samples: readonly (readonly Cell[])[];
}

/** Rows that a header is looked for in. */
const HEADER_ROWS = 10;

/**
 * Detects the form of a file and matches its columns with the targets of a doctype.
 * @throws ServiceError ValidationError for a file that cannot be read, or is empty
 */
export async function readHead(
  open: OpenBytes,
  fileName: string,
  targets: Targets,
  matcher: Matcher,
  choices: FormChoices = {},
): Promise<FileHead> {
  const format = choices.format ?? formatNamed(fileName);
  if (!format) {
    throw new ServiceError(
      'ValidationError',
      `The name ${fileName} does not tell a format: csv, xlsx, json or ndjson`,
    );
  }
  const encoding = choices.encoding ?? (format === 'xlsx' ? 'utf-8' : await detectEncoding(open));
  const delimiter =
    choices.delimiter ??
    (format === 'csv' ? await (await import('./read-csv.ts')).detectDelimiter(open, encoding) : ',');
  const raw = { format, encoding, delimiter };
  const { headerRow, heads, rows } =
    format === 'csv' || format === 'xlsx'
      ? await sampleOfLines(open, raw, targets, choices.headerRow)
      : await sampleOfItems(open, raw);
  if (heads.length === 0) throw new ServiceError('ValidationError', 'The file has no rows');
  const matched = columnsOf(heads).map((column) => matcher.match(column));
  const samples = matched.map((_column, at) => rows.map((cells) => cells[at] ?? null));
  const detected = localeOf(matched, samples, format === 'csv' ? delimiter : null);
  const locale = { dates: choices.dates ?? detected.dates, decimal: choices.decimal ?? detected.decimal };
  const columns = matched.map((column, at) => matcher.suggest(column, samples[at] ?? [], locale));
  const ambiguous = detected.ambiguous.filter((part) => choices[part] === undefined);
  return { form: { ...raw, headerRow, locale }, ambiguous, columns, samples };
}

/** All documents of a file, in order. */
export function readRecords(
  open: OpenBytes,
  form: FileForm,
  columns: readonly MatchedColumn[],
  matcher: Matcher,
  keyField?: string,
): AsyncGenerator<ImportRecord> {
  if (form.format === 'csv' || form.format === 'xlsx') {
    return recordsOfLines(below(linesOf(open, form), form.headerRow), columns, form.locale, keyField);
  }
  const known = new Map(columns.map((column) => [column.head, column]));
  const match = (head: string) => known.get(head) ?? matcher.match({ key: head, head });
  return recordsOfItems(itemsOf(open, form), match, form.locale);
}

/** The rows of a file of rows, with the heads. The libraries load with the first file. */
export async function* linesOf(
  open: OpenBytes,
  form: Pick<FileForm, 'format' | 'encoding' | 'delimiter'>,
): AsyncGenerator<Line> {
  if (form.format === 'csv') yield* (await import('./read-csv.ts')).readCsv(open, form);
  else yield* (await import('./read-xlsx.ts')).readXlsx(open);
}

/** The objects of a file of objects. */
export function itemsOf(
  open: OpenBytes,
  { format, encoding }: Pick<FileForm, 'format' | 'encoding'>,
): AsyncGenerator<Item> {
  return format === 'json' ? readJson(open, encoding) : readNdjson(open, encoding);
}

async function* below(lines: AsyncIterable<Line>, headerRow: number): AsyncGenerator<Line> {
  for await (const line of lines) if (line.number > headerRow) yield line;
}

interface Sample {
  readonly headerRow: number;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

async function sampleOfLines(
  open: OpenBytes,
  form: Pick<FileForm, 'format' | 'encoding' | 'delimiter'>,
  targets: Targets,
  chosen: number | undefined,
): Promise<Sample> {
  const lines: Line[] = [];
  let length = 0;
  for await (const line of linesOf(open, form)) {
    if (!line.cells.every(isEmpty)) lines.push(line);
    length += lengthOf(line.cells);
    if (lines.length > LIMITS.importSampleRows || length > LIMITS.importSampleLength) break;
  }
  const header =
    chosen === undefined ? headerOf(lines, targets) : lines.find(({ number }) => number === chosen);
  const headerRow = header?.number ?? chosen ?? 0;
  const rows = lines.filter(({ number }) => number > headerRow).map(({ cells }) => cells);
  const width = Math.max(header?.cells.length ?? 0, ...rows.map((cells) => cells.length));
  const heads = Array.from({ length: lines.length === 0 ? 0 : width }, (_, at) =>
    String(header?.cells[at] ?? ''),
  );
  return { headerRow, heads, rows };
}

// The row with the most heads of fields; else the first one, if it looks unlike values.
function headerOf(lines: readonly Line[], targets: Targets): Line | undefined {
  const first = lines.slice(0, HEADER_ROWS);
  const scores = first.map(
    ({ cells }) => cells.filter((cell) => typeof cell === 'string' && targets.named(cell)).length,
  );
  const best = Math.max(0, ...scores);
  if (best > 0) return first[scores.indexOf(best)];
  const [top] = first;
  const filled = top?.cells.filter((cell) => !isEmpty(cell)) ?? [];
  const isHeader = filled.every((cell) => typeof cell === 'string' && !/\d|@/.test(cell)) && lines.length > 1;
  return isHeader && new Set(filled).size === filled.length ? top : undefined;
}

async function sampleOfItems(open: OpenBytes, form: Pick<FileForm, 'format' | 'encoding'>): Promise<Sample> {
  const heads = new Map<string, number>();
  const rows: Cell[][] = [];
  let length = 0;
  for await (const { fields } of itemsOf(open, form)) {
    const cells: Cell[] = [];
    for (const [key, value] of flattened(fields)) {
      const at = heads.get(key) ?? heads.size;
      if (at >= LIMITS.importColumns) continue;
      heads.set(key, at);
      cells[at] = value;
    }
    rows.push(cells);
    length += lengthOf(cells);
    if (rows.length >= LIMITS.importSampleRows || length > LIMITS.importSampleLength) break;
  }
  return { headerRow: 0, heads: [...heads.keys()], rows };
}

function lengthOf(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
}

/** The values of an object by key; those of its first child rows as `items.qty`. */
function flattened(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, Cell])[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (!Array.isArray(value) || !isRecord(value[0])) return [[key, scalarOf(value)] as const];
    return Object.entries(value[0]).map(([name, cell]) => [`${key}.${name}`, scalarOf(cell)] as const);
  });
}

function scalarOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

function localeOf(
  columns: readonly MatchedColumn[],
  samples: readonly (readonly Cell[])[],
  delimiter: string | null,
): DetectedLocale {
  // Columns without a target may fill any field later, so they count where no other column does.
  const cellsOf = (...types: readonly string[]) => {
    const of = (isWanted: (column: MatchedColumn) => boolean) =>
      columns.flatMap((column, at) => (isWanted(column) ? (samples[at] ?? []) : []));
    const known = of(({ target }) => types.includes(target?.field?.fieldtype ?? ''));
    return known.length > 0 ? known : of(({ target }) => target === null);
  };
  const numbers = cellsOf('Int', 'Float', 'Currency', 'Percent', 'Rating').filter(isNumeral);
  return detectLocale(cellsOf('Date', 'Datetime'), numbers, { delimiter });
}

// Digits with marks, unless three groups of them are a date.
function isNumeral(cell: Cell): boolean {
  if (typeof cell !== 'string' || /\p{L}/u.test(cell) || !/\d/.test(cell)) return false;
  return !/\d[./-]\d+[./-]\d/.test(cell.replaceAll(/[.,]\d{3}(?!\d)/g, ''));
}
