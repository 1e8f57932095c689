import type { DocField } from '../doctype/doctype.ts';
import { quote, refuse } from '../doctype/fieldtypes/fieldtype.ts';
import { fieldtypeOf } from '../doctype/fieldtypes/fieldtypes.ts';
import { optionsOf } from '../doctype/fieldtypes/select.ts';
import { isEmpty } from './line.ts';
import type { Locale } from './locale.ts';
import { momentText } from './moment-text.ts';

/**
 * The value of a cell for a field, as the API takes it: dates and numbers in the locale's form, words for yes and
 * no, options in another case. Null for an empty cell.
 * @throws ServiceError that begins with the field's label, when the field cannot hold it
 */
export function convertCell(cell: unknown, field: DocField, locale: Locale): unknown {
  if (cell === null || cell === undefined || cell === '' || (isEmpty(cell) && !isFreeText(field)))
    return null;
  const value = inFormOfApi(cell, field, locale);
  // The write pipeline does it again; here, so that all bad cells of a record are found, whatever else it lacks.
  fieldtypeOf(field).coerce(value, field);
  return value;
}

// Text in which spaces are content.
function isFreeText(field: DocField): boolean {
  return fieldtypeOf(field).textual && !NAMES.has(field.fieldtype);
}

const NAMES: ReadonlySet<string> = new Set(['Link', 'Dynamic Link', 'Select']);

function inFormOfApi(cell: unknown, field: DocField, locale: Locale): unknown {
  if (cell instanceof Date) return ofDate(cell, field);
  switch (field.fieldtype) {
    case 'Check':
      return typeof cell === 'string' ? (FLAGS.get(cell.trim().toLowerCase()) ?? cell) : cell;
    case 'Int':
    case 'Float':
    case 'Currency':
    case 'Rating':
      return typeof cell === 'string' ? numeralOf(cell, field, locale) : cell;
    case 'Percent':
      return typeof cell === 'string' ? numeralOf(withoutPercent(cell), field, locale) : cell;
    case 'Duration':
      return typeof cell === 'string' ? (secondsOf(cell) ?? numeralOf(cell, field, locale)) : cell;
    case 'Date':
    case 'Datetime':
      return typeof cell === 'string' ? momentOf(cell, field, locale) : cell;
    case 'Time':
      return typeof cell === 'string' ? clockOf(cell) : cell;
    case 'Link':
    case 'Dynamic Link':
      return typeof cell === 'string' ? cell.trim() : cell;
    case 'Select':
      return optionFor(cell, field);
    default:
      return cell;
  }
}

// A cell of a workbook has no zone: it shows the clock of its time in UTC.
function ofDate(cell: Date, field: DocField): unknown {
  if (Number.isNaN(cell.getTime())) return refuse(field, 'is not a valid date');
  const iso = cell.toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 23)];
  if (field.fieldtype === 'Date') return date;
  if (field.fieldtype === 'Time') return time;
  if (field.fieldtype === 'Datetime') return `${date} ${time}`;
  return momentText(cell);
}

const YES = ['yes', 'y', 'true', 'ja', 'j', 'wahr', 'x', '✓', 'oui', 'vrai', 'si', 'sí', 'sì', 'on'];
const NO = ['no', 'n', 'false', 'nein', 'falsch', '-', 'non', 'faux', 'off'];
const FLAGS: ReadonlyMap<string, number> = new Map([
  ...YES.map((word) => [word, 1] as const),
  ...NO.map((word) => [word, 0] as const),
]);

/** True for a word that a Check takes for yes or no, `0` and `1` included. */
export function isFlag(text: string): boolean {
  const word = text.trim().toLowerCase();
  return FLAGS.has(word) || word === '0' || word === '1';
}

/**
 * A number as the API takes it: without currency signs and groups of digits, with a decimal point. Any other text
 * stays, for the fieldtype to refuse.
 */
function numeralOf(text: string, field: DocField, { decimal }: Locale): string {
  const bare = withoutCurrency(text).replace(/^\u2212/, '-');
  if (/^[+-]?\d+$/.test(bare)) return bare;
  const grouped = decimal === ',' ? COMMA_NUMERAL : POINT_NUMERAL;
  if (grouped.test(bare)) {
    const digits = bare.replaceAll(decimal === ',' ? /[.'’\s]/g : /[,'’\s]/g, '');
    return decimal === ',' ? digits.replace(',', '.') : digits;
  }
  // `1.5` in a file with decimal commas is no number: as 1.5 or as 15 it would be a guess.
  if (decimal === ',' && /^[+-]?\d*\.\d+$/.test(bare)) {
    refuse(field, `must be a number with a decimal comma, not ${quote(text)}`);
  }
  return bare;
}

const AROUND = /[\p{Sc}\s]/u;

function withoutCurrency(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && AROUND.test(text.charAt(from))) from += 1;
  while (from < to && AROUND.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function withoutPercent(text: string): string {
  const bare = text.trim();
  return bare.endsWith('%') ? bare.slice(0, -1) : bare;
}

const POINT_NUMERAL = /^[+-]?(?:\d{1,3}(?:[,'’\s]\d{3})+|\d+)?(?:\.\d+)?$/;
const COMMA_NUMERAL = /^[+-]?(?:\d{1,3}(?:[.'’\s]\d{3})+|\d+)?(?:,\d+)?$/;

const DURATION =
  /^(?:(\d{1,15})\s{0,3}d)?\s{0,3}(?:(\d{1,15})\s{0,3}h)?\s{0,3}(?:(\d{1,15})\s{0,3}m)?\s{0,3}(?:(\d{1,15})\s{0,3}s)?$/i;

function secondsOf(text: string): number | null {
  const parts = DURATION.exec(text.trim());
  if (!parts || parts.slice(1).every((part) => part === undefined)) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

const WITH_YEAR_FIRST = /^(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?:(?:T|,?\s{1,3})(\S.*))?$/i;
const WITH_YEAR_LAST = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:(?:T|,?\s{1,3})(\S.*))?$/i;

function momentOf(cell: string, field: DocField, { dates }: Locale): string {
  const text = cell.trim();
  const first = WITH_YEAR_FIRST.exec(text);
  if (first) {
    const [, year = '', month = '', day = '', time] = first;
    return joined(year, month, day, time);
  }
  const [, one, two, year, time] = WITH_YEAR_LAST.exec(text) ?? [];
  // Any other text stays, for the fieldtype to refuse.
  if (one === undefined || two === undefined || year === undefined) return text;
  // Nobody writes the month first before dots.
  const order = dates === 'ymd' || text.includes('.') ? 'dmy' : dates;
  const [day, month] = order === 'dmy' ? [one, two] : [two, one];
  if (+month > 12) {
    const form = order === 'dmy' ? 'day/month/year' : 'month/day/year';
    refuse(field, `must be a date as ${form}, not ${quote(cell)}`);
  }
  return joined(year, month, day, time);
}

function joined(year: string, month: string, day: string, time: string | undefined): string {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return time === undefined ? date : `${date} ${clockOf(time)}`;
}

const TWELVE_HOURS = /^(\d{1,2})(:\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*([ap])\.?m\.?$/i;

function clockOf(cell: string): string {
  const text = cell.trim();
  const [, hour, rest = ':00', half] = TWELVE_HOURS.exec(text) ?? [];
  if (hour === undefined || half === undefined || +hour < 1 || +hour > 12) return text;
  return `${(+hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}${rest}`;
}

function optionFor(cell: unknown, field: DocField): unknown {
  if (typeof cell !== 'string') return cell;
  const options = optionsOf(field);
  const text = cell.trim();
  if (options.size === 0 || options.has(text)) return text;
  const folded = text.toLowerCase();
  return [...options].find((option) => option.toLowerCase() === folded) ?? text;
}
