import { writeXlsxStream } from 'hucre/xlsx';
import { isNumber } from '../../../meta/fieldtypes.ts';
import type { Field } from '../../../meta/meta.ts';
import type { ExportColumn } from './export-columns.ts';

type Cell = string | number | boolean | Date | null;

/** The longest text of a cell; Excel refuses a file with a longer one. */
const LONGEST = 32_767;
const DAY = 86_400;

/** A workbook with one sheet (more beyond 1,048,576 rows). Texts are never formulas, whatever they begin with. */
export async function* xlsxBytes(
  lines: AsyncIterable<readonly unknown[]>,
  columns: readonly ExportColumn[],
  heads: readonly string[],
  title: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  async function* cells() {
    for await (const line of lines) yield columns.map(({ field }, at) => cellOf(field, line[at]));
  }
  const stream = writeXlsxStream(cells(), {
    name: sheetName(title),
    columns: columns.map(({ field }, at) => columnOf(field, heads[at] ?? '')),
    freezePane: { rows: 1 },
  });
  const reader = stream.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      yield piece.value as Uint8Array<ArrayBuffer>;
  } finally {
    await reader.cancel();
  }
}

// Excel forbids some characters and more than 31 of them.
function sheetName(title: string): string {
  return (
    title
      .replace(/[\\/?*[\]:]/g, ' ')
      .slice(0, 31)
      .replace(/^'|'$/g, ' ')
      .trim() || 'Export'
  );
}

function columnOf(field: Field, header: string) {
  const numFmt = formatOf(field);
  return {
    header,
    width: Math.min(60, Math.max(widthOf(field), header.length + 2)),
    ...(numFmt ? { numFmt } : {}),
  };
}

function formatOf({ fieldtype, precision }: Field): string | null {
  const places = (least: number) => '0'.repeat(precision > 0 ? precision : least);
  switch (fieldtype) {
    case 'Date':
      return 'yyyy-mm-dd';
    case 'Datetime':
      return 'yyyy-mm-dd hh:mm:ss';
    case 'Time':
      return 'hh:mm:ss';
    case 'Currency':
      return `#,##0.${places(2)}`;
    case 'Percent':
      return `0.${places(2)}"%"`;
    default:
      return null;
  }
}

function widthOf({ fieldtype }: Field): number {
  if (fieldtype === 'Datetime') return 20;
  return isNumber(fieldtype) || ['Date', 'Time', 'Check'].includes(fieldtype) ? 12 : 24;
}

function cellOf({ fieldtype }: Field, value: unknown): Cell {
  if (value === null || value === undefined || value === '') return null;
  if (fieldtype === 'Check') return Number(value) === 1;
  if (isNumber(fieldtype) || fieldtype === 'Int') return numberOr(value);
  if (fieldtype === 'Date' || fieldtype === 'Datetime') return dateOr(value);
  if (fieldtype === 'Time') return dayPartOr(String(value));
  return textOf(value);
}

// A number that a spreadsheet would round stays text.
function numberOr(value: unknown): Cell {
  const number = Number(value);
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? number : textOf(value);
}

// A spreadsheet has no time zones: the cell shows the time of the site, as the API gives it.
function dateOr(value: unknown): Cell {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?/.exec(String(value));
  if (!parts) return textOf(value);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((one) => Number(one ?? 0));
  // Excel counts days from 1900.
  return year < 1900 ? textOf(value) : new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

function dayPartOr(value: string): Cell {
  const parts = /^(\d{1,2}):(\d\d):(\d\d(?:\.\d+)?)/.exec(value);
  if (!parts) return textOf(value);
  const [hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return (hour * 3_600 + minute * 60 + second) / DAY;
}

function textOf(value: unknown): string {
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > LONGEST ? text.slice(0, LONGEST) : text;
}
