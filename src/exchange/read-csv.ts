import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type CsvForm, DELIMITERS, type Delimiter } from './csv-form.ts';
import { decodeText, type Encoding } from './encoding.ts';
import { unguardFormula } from './formula-guard.ts';
import type { Cell, Line, OpenBytes } from './line.ts';

const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 20;

/**
 * The rows of a CSV file (RFC 4180, and what spreadsheets make of it), one at a time. An apostrophe that guards a
 * text against formulas is removed. Empty cells are null.
 * @throws ServiceError ValidationError for a file that is no CSV, or has too many columns or too long a row
 */
export async function* readCsv(open: OpenBytes, { encoding, delimiter }: CsvForm): AsyncGenerator<Line> {
  const parser = parse(optionsOf(delimiter));
  const source = pipeline(Readable.from(decodeText(open, encoding)), parser);
  // The parser repeats the failure of the source to its reader.
  source.catch(() => {});
  let number = 0;
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      number += 1;
      if (cells.length > LIMITS.importColumns) {
        throw new ServiceError(
          'ValidationError',
          `Row ${number} has more than ${LIMITS.importColumns} cells`,
        );
      }
      yield { number, cells: cells.map(cellOf) };
    }
    await source;
  } catch (error) {
    throw explained(error);
  }
}

function optionsOf(delimiter: Delimiter): Options {
  return {
    delimiter,
    // Rows of spreadsheets end at their last cell, and texts such as 5" pipe are not quoted.
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LIMITS.importRowLength,
  };
}

function cellOf(text: string): Cell {
  return text === '' ? null : unguardFormula(text);
}

function explained(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  // The parser adds the number of rows before to its errors.
  const row = Number(error['records'] ?? 0) + 1;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return new ServiceError('ValidationError', `Row ${row}: a quotation mark is never closed`);
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const most = LIMITS.importRowLength;
    return new ServiceError('ValidationError', `Row ${row} is longer than ${most} characters`);
  }
  return new ServiceError('ValidationError', `Row ${row} is no CSV: ${error.message}`);
}

/** The delimiter that gives the first rows the same number of cells, more than one; a comma in doubt. */
export async function detectDelimiter(open: OpenBytes, encoding: Encoding): Promise<Delimiter> {
  const text = await firstText(open, encoding);
  const scores = DELIMITERS.map((delimiter) => ({ delimiter, score: scoreOf(text, delimiter) }));
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score === 0 ? ',' : best.delimiter;
}

async function firstText(open: OpenBytes, encoding: Encoding): Promise<string> {
  let text = '';
  for await (const piece of decodeText(open, encoding)) {
    text += piece;
    if (text.length >= SAMPLE_CHARACTERS) break;
  }
  return text.slice(0, SAMPLE_CHARACTERS);
}

// The share of rows as wide as most of them; among equal shares more cells win.
function scoreOf(text: string, delimiter: Delimiter): number {
  const widths = sampleRows(text, delimiter)
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) => cells.length);
  const counts = new Map<number, number>();
  for (const width of widths) if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1);
  const scores = [...counts].map(([width, count]) => count / widths.length + Math.min(width, 500) / 10_000);
  return Math.max(0, ...scores);
}

function sampleRows(text: string, delimiter: Delimiter): readonly (readonly string[])[] {
  const rows: string[][] = [];
  try {
    parseAtOnce(text, {
      ...optionsOf(delimiter),
      to: SAMPLE_ROWS,
      on_record: (cells: string[]) => {
        rows.push(cells);
        return null;
      },
    });
  } catch (error) {
    // The sample may end inside a quoted cell.
    if (!(error instanceof CsvError)) throw error;
  }
  return rows;
}
