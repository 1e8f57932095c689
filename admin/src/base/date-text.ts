import { currentCustoms } from './format.ts';

type Part = 'day' | 'month' | 'year';

/** Order, separator and digits of a locale's short dates. */
interface Shape {
  readonly order: readonly Part[];
  readonly separator: string;
  readonly digits: readonly string[];
}

const known = new Map<string, Shape>();

function shapeOf(locale: string): Shape {
  let shape = known.get(locale);
  if (!shape) {
    // The Gregorian calendar, as on the wire, also where the locale has another.
    const format = new Intl.DateTimeFormat(locale, {
      ...{ calendar: 'gregory', timeZone: 'UTC', year: 'numeric', month: '2-digit', day: '2-digit' },
    } as Intl.DateTimeFormatOptions);
    const parts = format.formatToParts(0);
    const plain = new Intl.NumberFormat(locale, { useGrouping: false });
    const isPart = (type: string): type is Part => ['day', 'month', 'year'].includes(type);
    const separator = parts.find(({ type }) => type === 'literal')?.value ?? '/';
    shape = {
      order: parts.flatMap(({ type }) => (isPart(type) ? [type] : [])),
      // Without marks of direction, which nobody types.
      separator: separator.replaceAll(/[\u200e\u200f\u061c]/g, ''),
      digits: Array.from({ length: 10 }, (_, digit) => plain.format(digit)),
    };
    known.set(locale, shape);
  }
  return shape;
}

/** A wire date for an input: `05/01/2026` in British English. Any other text is returned unchanged. */
export function writeDate(date: string, locale: string = currentCustoms().locale): string {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!found) return date;
  const [, year = '', month = '', day = ''] = found;
  const { order, separator } = shapeOf(locale);
  return order.map((part) => ({ year, month, day })[part]).join(separator);
}

/**
 * Reads a date in the locale's order, or as on the wire: `5.1.26`, `5/1` of this year, `20260105`. Undefined if
 * it is no date.
 */
export function readDate(
  text: string,
  locale: string = currentCustoms().locale,
  thisYear: number = new Date().getFullYear(),
): string | undefined {
  const { order, digits } = shapeOf(locale);
  let plain = text.trim().replaceAll(/[\u200e\u200f\u061c]/g, '');
  for (const [digit, sign] of digits.entries()) plain = plain.replaceAll(sign, String(digit));
  const wire = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(plain);
  if (wire) return dateOf(Number(wire[1]), Number(wire[2]), Number(wire[3]));
  const numbers = /^\d+(?:[^\d]+\d+){1,2}[^\d]?$/.test(plain) ? (plain.match(/\d+/g) ?? []) : [];
  const shown = numbers.length === 2 ? order.filter((part) => part !== 'year') : order;
  if (numbers.length !== shown.length) return undefined;
  const at = (part: Part) => numbers[shown.indexOf(part)];
  const year = at('year') ?? String(thisYear);
  return dateOf(Number(year) + (year.length <= 2 ? 2_000 : 0), Number(at('month')), Number(at('day')));
}

/** The order of a date as a hint: `DD/MM/YYYY`. */
export function dateHint(locale: string = currentCustoms().locale): string {
  const { order, separator } = shapeOf(locale);
  return order.map((part) => ({ year: 'YYYY', month: 'MM', day: 'DD' })[part]).join(separator);
}

function dateOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1 && year <= 9_999;
  return isReal ? `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}` : undefined;
}

/** A time of day as on the wire, from `9:5`, `09:05:30` or `0905`. Undefined if it is no time. */
export function readTime(text: string, locale: string = currentCustoms().locale): string | undefined {
  let plain = text.trim();
  for (const [digit, sign] of shapeOf(locale).digits.entries()) plain = plain.replaceAll(sign, String(digit));
  const found =
    /^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d+)?)?$/.exec(plain) ?? /^(\d\d)(\d\d)(\d\d)?$/.exec(plain);
  if (!found) return undefined;
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  return hour < 24 && minute < 60 && second < 60 ? `${two(hour)}:${two(minute)}:${two(second)}` : undefined;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
