import type { Cell } from './line.ts';

export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
/** The order of day, month and year in dates such as 01/02/2026. Dates as YYYY-MM-DD are read in any order. */
export type DateOrder = (typeof DATE_ORDERS)[number];

export const DECIMAL_MARKS = ['.', ','] as const;
/** What separates the fraction of a number. */
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/** How a file writes dates and numbers. */
export interface Locale {
  readonly dates: DateOrder;
  readonly decimal: DecimalMark;
}

/** A locale, and the parts of it that the values of the file do not decide. */
export interface DetectedLocale extends Locale {
  readonly ambiguous: readonly ('dates' | 'decimal')[];
}

/**
 * The locale of a file from the values of its date and number columns. Where they allow several, it is the most
 * likely one, by `hint`: files with semicolons have decimal commas.
 */
export function detectLocale(
  dates: Iterable<Cell>,
  numbers: Iterable<Cell>,
  hint: { readonly delimiter: string | null },
): DetectedLocale {
  const decimal = decimalOf(numbers);
  const order = dateOrderOf(dates);
  const chosen = decimal.chosen ?? (hint.delimiter === ';' ? ',' : '.');
  return {
    dates: order.chosen ?? 'dmy',
    decimal: chosen,
    ambiguous: [
      ...(order.isSeen && order.chosen === null ? (['dates'] as const) : []),
      ...(decimal.isSeen && decimal.chosen === null ? (['decimal'] as const) : []),
    ],
  };
}

/** What the values decide; null when several answers fit, `isSeen` when any value depends on the answer. */
interface Evidence<T> {
  readonly chosen: T | null;
  readonly isSeen: boolean;
}

const YEAR_LAST = /^\s*(\d{1,2})([./-])(\d{1,2})\2\d{4}\b/;
const YEAR_FIRST = /^\s*\d{4}[./-]\d{1,2}[./-]\d{1,2}\b/;

function dateOrderOf(cells: Iterable<Cell>): Evidence<DateOrder> {
  let days = 0;
  let months = 0;
  let either = 0;
  let years = 0;
  for (const cell of cells) {
    if (typeof cell !== 'string') continue;
    const [, one, mark, two] = YEAR_LAST.exec(cell) ?? [];
    if (one === undefined || two === undefined) years += YEAR_FIRST.test(cell) ? 1 : 0;
    // Nobody writes the month first before dots.
    else if (+one > 12 || mark === '.') days += 1;
    else if (+two > 12) months += 1;
    else either += 1;
  }
  if (days + months + either === 0) return { chosen: 'ymd', isSeen: years > 0 };
  if (days === months) return { chosen: null, isSeen: true };
  return { chosen: days > months ? 'dmy' : 'mdy', isSeen: true };
}

function decimalOf(cells: Iterable<Cell>): Evidence<DecimalMark> {
  const votes = { '.': 0, ',': 0 };
  let open = 0;
  for (const cell of cells) {
    if (typeof cell !== 'string') continue;
    const marks = cell.replaceAll(/[^.,]/g, '');
    if (marks === '') continue;
    const last = marks.endsWith('.') ? '.' : ',';
    const other = last === '.' ? ',' : '.';
    if (marks.includes(other)) votes[last] += 1;
    else if (marks.length > 1) votes[other] += 1;
    // One mark before three digits may group thousands.
    else if (/^\D*[1-9]\d{0,2}[.,]\d{3}\D*$/.test(cell)) open += 1;
    else votes[last] += 1;
  }
  const isSeen = open + votes['.'] + votes[','] > 0;
  if (votes['.'] === votes[',']) return { chosen: null, isSeen };
  return { chosen: votes['.'] > votes[','] ? '.' : ',', isSeen };
}
