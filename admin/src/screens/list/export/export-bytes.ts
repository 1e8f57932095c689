import { BYTE_ORDER_MARK, csvLine, csvRow } from '../../../grid/list-csv.ts';
import type { Row } from '../../../grid/list-requests.ts';
import type { ExportColumn } from './export-columns.ts';
import { flatOf, linesOf, nestedOf } from './export-lines.ts';

export type ExportFormat = 'csv' | 'xlsx' | 'json';

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly columns: readonly ExportColumn[];
  /** The heads are labels instead of fieldnames. JSON always has fieldnames. */
  readonly hasLabels: boolean;
  /** Linked documents appear with their titles instead of their names. */
  readonly hasTitles: boolean;
  /** In JSON, child rows stay arrays; otherwise each is a line of its own. */
  readonly isNested: boolean;
  /** In CSV, text that a spreadsheet would take for a formula gets a leading apostrophe. */
  readonly isGuarded: boolean;
}

export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json',
};

type Pages = AsyncIterable<readonly Row[]>;

/** The file of an export, written while its pages arrive. `title` names the sheet of a workbook. */
export async function* exportBytes(
  pages: Pages,
  options: ExportOptions,
  title: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (options.format === 'xlsx') {
    const { xlsxBytes } = await import('./xlsx.ts');
    yield* xlsxBytes(lines(pages, options), options.columns, headsOf(options), title);
    return;
  }
  const texts = options.format === 'csv' ? csvTexts(pages, options) : jsonTexts(pages, options);
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}

function headsOf({ columns, hasLabels }: ExportOptions): readonly string[] {
  return columns.map(({ key, label }) => (hasLabels ? label : key));
}

async function* lines(pages: Pages, { columns }: ExportOptions): AsyncGenerator<readonly unknown[]> {
  for await (const docs of pages) for (const doc of docs) yield* linesOf(doc, columns);
}

async function* csvTexts(pages: Pages, options: ExportOptions): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(headsOf(options));
  for await (const docs of pages)
    yield docs
      .flatMap((doc) => linesOf(doc, options.columns))
      .map((line) => csvRow(line, options))
      .join('');
}

async function* jsonTexts(pages: Pages, { columns, isNested }: ExportOptions): AsyncGenerator<string> {
  let before = '[\n';
  for await (const docs of pages) {
    const objects = docs.flatMap((doc) =>
      isNested ? [nestedOf(doc, columns)] : linesOf(doc, columns).map((line) => flatOf(line, columns)),
    );
    if (objects.length === 0) continue;
    yield before + objects.map((one) => JSON.stringify(one)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
