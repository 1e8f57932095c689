/** A cell of a file: text as in CSV, or a typed value as in a workbook. Null is an empty cell. */
export type Cell = string | number | boolean | Date | null;

/** A row of a file of rows. `number` counts from 1, as spreadsheets show it. */
export interface Line {
  readonly number: number;
  readonly cells: readonly Cell[];
}

/** True when a cell shows nothing. */
export function isEmpty(cell: unknown): boolean {
  return cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

/** The bytes of a file from its start. A file is read several times: to detect its form, and to import it. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

export const FORMATS = ['csv', 'xlsx', 'json', 'ndjson'] as const;
/** A format of a file of records. */
export type Format = (typeof FORMATS)[number];

const ENDINGS: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['txt', 'csv'],
  ['xlsx', 'xlsx'],
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
]);

/** The format that the ending of a file's name stands for; null for any other ending. */
export function formatNamed(fileName: string): Format | null {
  return ENDINGS.get(fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()) ?? null;
}
