import { writeXlsxStream } from 'hucre/xlsx';
import { ServiceError } from '../kernel/errors.ts';
import type { Cell } from './line.ts';

/** The longest text of a cell; Excel refuses a file with a longer one. */
const LONGEST = 32_767;

/** A column of a workbook: its head, and how Excel shows its values. */
export interface SheetColumn {
  readonly head: string;
  /** Such as `yyyy-mm-dd`; null for values as they are. */
  readonly format: string | null;
}

/**
 * A workbook with one sheet, in pieces, of which one at a time is in memory. Texts are never formulas.
 * @throws ServiceError ValidationError for a text that no cell of Excel holds
 */
export async function* xlsxBytes(
  rows: AsyncIterable<readonly Cell[]>,
  columns: readonly SheetColumn[],
  title: string,
): AsyncGenerator<Uint8Array> {
  const stream = writeXlsxStream(sheetRows(rows), {
    name: sheetName(title),
    columns: columns.map(({ head, format }) => ({
      header: escaped(head),
      width: Math.min(60, Math.max(14, head.length + 2)),
      ...(format === null ? {} : { numFmt: format }),
    })),
    freezePane: { rows: 1 },
  });
  const reader = stream.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    await reader.cancel();
  }
}

async function* sheetRows(rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<Cell[]> {
  for await (const cells of rows)
    yield cells.map((cell) => (typeof cell === 'string' ? escaped(cell) : cell));
}

// Excel reads `_x000A_` as a line feed, so a text that holds such letters has its first one escaped.
function escaped(text: string): string {
  if (text.length > LONGEST) {
    const begin = JSON.stringify(text.slice(0, 40));
    throw new ServiceError(
      'ValidationError',
      `A cell of Excel holds at most ${LONGEST} characters, and the text ${begin}… has more: export as CSV or JSON`,
    );
  }
  return text.includes('_x') ? text.replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_') : text;
}

// Excel forbids some characters and more than 31 of them.
function sheetName(title: string): string {
  const name = title.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, 31);
  return name.replaceAll(/^'|'$/g, ' ').trim() || 'Export';
}
