import { HucreError } from 'hucre';
import { streamXlsxRows } from 'hucre/xlsx';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { checkWorkbook, damaged } from './check-workbook.ts';
import type { Cell, Line, OpenBytes } from './line.ts';

/**
 * The rows of a workbook's first sheet, one at a time; the packed file is in memory. Dates are in UTC, as the cells
 * show them. A formula counts as its result.
 * @throws ServiceError ValidationError for another file, or one beyond the limits of workbooks
 */
export async function* readXlsx(open: OpenBytes): AsyncGenerator<Line> {
  const bytes = await wholeFile(open);
  await checkWorkbook(bytes);
  let rows = 0;
  try {
    for await (const { index, values } of streamXlsxRows(
      new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    )) {
      rows += 1;
      if (rows > LIMITS.importWorkbookRows) {
        throw new ServiceError(
          'ValidationError',
          `A workbook may have at most ${LIMITS.importWorkbookRows} rows: save it as CSV`,
        );
      }
      if (values.length > LIMITS.importColumns) {
        throw new ServiceError(
          'ValidationError',
          `Row ${index + 1} has more than ${LIMITS.importColumns} cells`,
        );
      }
      yield { number: index + 1, cells: values.map(cellOf) };
    }
  } catch (error) {
    if (error instanceof HucreError) throw damaged();
    throw error;
  }
}

async function wholeFile(open: OpenBytes): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of open()) {
    length += piece.length;
    if (length > LIMITS.importWorkbookBytes) {
      const most = LIMITS.importWorkbookBytes;
      throw new ServiceError('ValidationError', `A workbook may have at most ${most} bytes: save it as CSV`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof Date) return value;
  return null;
}
