import type { FieldValue } from '../../kernel/value.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, quote, refuse, refuseCompound } from './fieldtype.ts';

const DATETIME_FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const TIME_FORM = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?$/;

/** Calendar and clock values as written; the zone is the offset in minutes east of UTC, or null. */
interface Moment {
  readonly date: string;
  readonly time: string;
  readonly zone: number | null;
}

function momentOf(text: string): Moment | null {
  const parts = DATETIME_FORM.exec(text);
  if (!parts) return null;
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone] =
    parts;
  const time = clockText(hour, minute, second, fraction);
  const zoneMinutes = zone === undefined ? null : offsetMinutes(zone);
  if (time === null || Number.isNaN(zoneMinutes) || !isCalendarDate(+year, +month, +day)) return null;
  return { date: `${year}-${month}-${day}`, time, zone: zoneMinutes };
}

function isCalendarDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

function clockText(hour: string, minute: string, second: string, fraction: string): string | null {
  if (+hour > 23 || +minute > 59 || +second > 59) return null;
  const two = (part: string) => part.padStart(2, '0');
  return `${two(hour)}:${two(minute)}:${two(second)}.${fraction.padEnd(6, '0')}`;
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = +zone.slice(1, 3);
  const minutes = +zone.slice(-2);
  if (hours > 14 || minutes > 59) return Number.NaN;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The same instant in UTC; null outside of the years 1 to 9999. */
function inUtc(moment: Moment): string | null {
  if (!moment.zone) return `${moment.date} ${moment.time}`;
  const instant = new Date(`${moment.date}T${moment.time.slice(0, 8)}Z`);
  const shifted = new Date(instant.getTime() - moment.zone * 60_000);
  const year = shifted.getUTCFullYear();
  if (year < 1 || year > 9999) return null;
  const iso = shifted.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}${moment.time.slice(8)}`;
}

function wordOf(value: unknown, field: DocField, form: string): string | null {
  if (value === null || value === undefined) return null;
  refuseCompound(value, field);
  if (typeof value !== 'string') return refuse(field, `must be ${form}, not ${quote(value)}`);
  return value.trim() || null;
}

/** `YYYY-MM-DD`; drops the time of a date with a time, in the zone of the text. */
function dateOf(value: unknown, field: DocField): FieldValue {
  const form = 'a date as YYYY-MM-DD';
  const text = wordOf(value, field, form);
  if (text === null) return null;
  return momentOf(text)?.date ?? refuse(field, `must be ${form}, not ${quote(value)}`);
}

/** `YYYY-MM-DD HH:MM:SS.ffffff`; a time with a zone (`Z`, `+05:30`) is converted to UTC. */
function datetimeOf(value: unknown, field: DocField): FieldValue {
  const form = 'a date and time as YYYY-MM-DD HH:MM:SS';
  const text = wordOf(value, field, form);
  if (text === null) return null;
  return datetimeText(text) ?? refuse(field, `must be ${form}, not ${quote(value)}`);
}

/** A date and time in the stored form; null for any other text. */
export function datetimeText(text: string): string | null {
  const moment = momentOf(text);
  return moment && inUtc(moment);
}

/** `HH:MM:SS.ffffff`, before midnight. */
function timeOf(value: unknown, field: DocField): FieldValue {
  const form = 'a time as HH:MM:SS';
  const text = wordOf(value, field, form);
  if (text === null) return null;
  const [, hour, minute, second = '0', fraction = ''] = TIME_FORM.exec(text) ?? [];
  const time = hour && minute ? clockText(hour, minute, second, fraction) : null;
  return time ?? refuse(field, `must be ${form}, not ${quote(value)}`);
}

function dateType(
  name: string,
  column: 'date' | 'datetime' | 'time',
  coerce: (value: unknown, field: DocField) => FieldValue,
): FieldType {
  return {
    name,
    column,
    empty: () => null,
    ordered: true,
    textual: false,
    allowsUnique: false,
    coerce,
    coerceOperand: coerce,
  };
}

export const DATE_TYPES: readonly FieldType[] = [
  dateType('Date', 'date', dateOf),
  dateType('Datetime', 'datetime', datetimeOf),
  dateType('Time', 'time', timeOf),
];
