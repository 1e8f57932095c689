import { withLatinDigits } from './i18n.ts';
import { isTimeZone, momentOf } from './time-zone.ts';

/** Locale and time zones used to format values. */
export interface Customs {
  /** A BCP 47 tag: the browser's locale if its language is the UI's language. */
  readonly locale: string;
  /** Time zone of timestamps on the wire. */
  readonly siteZone: string;
  /** Time zone of the user. */
  readonly userZone: string;
  /** Currency of amounts whose field names none; '' for none. */
  readonly currency: string;
}

let customs: Customs = { locale: 'en', siteZone: 'UTC', userZone: 'UTC', currency: '' };
let made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>();

/** Sets the locale and time zones for all later formatting. */
export function setCustoms(next: Customs): void {
  customs = {
    ...next,
    locale: withLatinDigits(next.locale),
    userZone: isTimeZone(next.userZone) ? next.userZone : next.siteZone,
  };
  made = new Map();
}

/** The current locale and time zones. */
export function currentCustoms(): Customs {
  return customs;
}

/** Milliseconds since the epoch of a wire timestamp; NaN if the text is no timestamp. */
export function moment(timestamp: string): number {
  return momentOf(timestamp, customs.siteZone);
}

/** A wire timestamp in the user's time zone. Any other text is returned unchanged. */
export function formatDatetime(timestamp: string, style: 'short' | 'full' = 'short'): string {
  const at = moment(timestamp);
  if (Number.isNaN(at)) return timestamp;
  const options: Intl.DateTimeFormatOptions =
    style === 'full'
      ? { dateStyle: 'full', timeStyle: 'long' }
      : { dateStyle: dateStyle(), timeStyle: 'short' };
  return dates(`datetime ${style}`, { ...options, timeZone: customs.userZone }).format(at);
}

/** A wire date; dates have no time zone. */
export function formatDate(date: string): string {
  const at = momentOf(date.slice(0, 10), 'UTC');
  return Number.isNaN(at) ? date : dates('date', { dateStyle: dateStyle(), timeZone: 'UTC' }).format(at);
}

/**
 * The style of a short date. The medium style of Arabic shows figures in the order of the page, so that readers may
 * take the year for the day; the long one names the month.
 */
export function dateStyle(): 'medium' | 'long' {
  return new Intl.Locale(customs.locale).language === 'ar' ? 'long' : 'medium';
}

/** A wire time, `HH:MM:SS`. */
export function formatTime(time: string): string {
  const at = momentOf(`1970-01-01 ${time.slice(0, 8).padStart(8, '0')}`, 'UTC');
  if (Number.isNaN(at)) return time;
  const timeStyle = at % 60_000 === 0 ? 'short' : 'medium';
  return dates(`time ${timeStyle}`, { timeStyle, timeZone: 'UTC' }).format(at);
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** A relative time, such as "5 minutes ago". */
export function formatRelative(timestamp: string, now: number = Date.now()): string {
  const at = moment(timestamp);
  return Number.isNaN(at) ? timestamp : formatAgo(at, now);
}

/** Like `formatRelative`, for milliseconds since the epoch. */
export function formatAgo(at: number, now: number = Date.now()): string {
  const seconds = (at - now) / 1_000;
  const format = kept('relative', () => new Intl.RelativeTimeFormat(customs.locale, { numeric: 'auto' }));
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return format.format(Math.trunc(seconds), 'second');
}

/** A number: with exactly `places` decimals, or else with up to nine. */
export function formatNumber(value: number, places?: number): string {
  const options =
    places === undefined
      ? { maximumFractionDigits: 9 }
      : { minimumFractionDigits: places, maximumFractionDigits: places };
  return numbers(`number ${places}`, options).format(value);
}

/** A money amount. Without a known currency, a number with two decimals. */
export function formatCurrency(value: number, currency = '', places?: number): string {
  if (!/^[A-Za-z]{3}$/.test(currency)) return formatNumber(value, places ?? 2);
  const digits = places === undefined ? {} : { minimumFractionDigits: places, maximumFractionDigits: places };
  return numbers(`${currency} ${places}`, { style: 'currency', currency, ...digits }).format(value);
}

/** A percentage: 12.5 gives "12.5%". */
export function formatPercent(value: number, places = 2): string {
  return numbers(`percent ${places}`, { style: 'percent', maximumFractionDigits: places }).format(
    value / 100,
  );
}

/** Words as a list in a sentence: "read, change and delete". */
export function formatList(words: readonly string[]): string {
  return new Intl.ListFormat(customs.locale, { type: 'conjunction' }).format(words);
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A size in decimal units. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const options = {
    style: 'unit',
    unit: UNITS[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  };
  return numbers(`bytes ${step}`, options as Intl.NumberFormatOptions).format(bytes / 1_000 ** step);
}

/** A duration from seconds in the wire's format: `1d 2h 5m`. */
export function formatDuration(seconds: number): string {
  const rest = Math.abs(Math.round(seconds));
  const parts = [
    [Math.floor(rest / 86_400), 'd'],
    [Math.floor((rest % 86_400) / 3_600), 'h'],
    [Math.floor((rest % 3_600) / 60), 'm'],
    [rest % 60, 's'],
  ] as const;
  const shown = parts
    .flatMap(([count, unit]) => (count > 0 ? [`${formatNumber(count)}${unit}`] : []))
    .join(' ');
  return `${seconds < 0 ? '-' : ''}${shown || '0s'}`;
}

function dates(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(key, () => new Intl.DateTimeFormat(customs.locale, options));
}

function numbers(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(key, () => new Intl.NumberFormat(customs.locale, options));
}

// Cached: creating a formatter costs more than a hundred uses of it.
function kept<T extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  key: string,
  make: () => T,
): T {
  const known = made.get(key);
  if (known) return known as T;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}
