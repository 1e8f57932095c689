import { isTimeZone, momentOf } from './time-zone.ts';

/** By whose customs values are shown. */
export interface Customs {
  /** A tag of BCP 47: the browser's own where it is of the same language. */
  readonly locale: string;
  /** Time zone of timestamps on the wire. */
  readonly siteZone: string;
  /** Time zone of the user. */
  readonly userZone: string;
}

let customs: Customs = { locale: 'en', siteZone: 'UTC', userZone: 'UTC' };
let made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>();

/** From now on values are shown like this. */
export function setCustoms(next: Customs): void {
  customs = { ...next, userZone: isTimeZone(next.userZone) ? next.userZone : next.siteZone };
  made = new Map();
}

/** By which values are shown now. */
export function currentCustoms(): Customs {
  return customs;
}

/** The moment, in milliseconds, of a timestamp of the wire; NaN for what is none. */
export function moment(timestamp: string): number {
  return momentOf(timestamp, customs.siteZone);
}

/** A timestamp of the wire in the person's own time zone; what is none, as it is. */
export function formatDatetime(timestamp: string, style: 'short' | 'full' = 'short'): string {
  const at = moment(timestamp);
  if (Number.isNaN(at)) return timestamp;
  const options: Intl.DateTimeFormatOptions =
    style === 'full' ? { dateStyle: 'full', timeStyle: 'long' } : { dateStyle: 'medium', timeStyle: 'short' };
  return dates(`datetime ${style}`, { ...options, timeZone: customs.userZone }).format(at);
}

/** A date of the wire; it has no time zone. */
export function formatDate(date: string): string {
  const at = momentOf(date.slice(0, 10), 'UTC');
  return Number.isNaN(at) ? date : dates('date', { dateStyle: 'medium', timeZone: 'UTC' }).format(at);
}

/** A time of the wire, `HH:MM:SS`. */
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

/** How long ago, or until: "5 minutes ago". */
export function formatRelative(timestamp: string, now: number = Date.now()): string {
  const at = moment(timestamp);
  return Number.isNaN(at) ? timestamp : formatAgo(at, now);
}

/** The same of a moment in milliseconds. */
export function formatAgo(at: number, now: number = Date.now()): string {
  const seconds = (at - now) / 1_000;
  const format = kept('relative', () => new Intl.RelativeTimeFormat(customs.locale, { numeric: 'auto' }));
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return format.format(Math.trunc(seconds), 'second');
}

/** A number; with `places` exactly so many decimals, else as many as it has, up to nine. */
export function formatNumber(value: number, places?: number): string {
  const options =
    places === undefined
      ? { maximumFractionDigits: 9 }
      : { minimumFractionDigits: places, maximumFractionDigits: places };
  return numbers(`number ${places}`, options).format(value);
}

/** An amount of money; without a known currency a number of two decimals. */
export function formatCurrency(value: number, currency = '', places?: number): string {
  if (!/^[A-Za-z]{3}$/.test(currency)) return formatNumber(value, places ?? 2);
  const digits = places === undefined ? {} : { minimumFractionDigits: places, maximumFractionDigits: places };
  return numbers(`${currency} ${places}`, { style: 'currency', currency, ...digits }).format(value);
}

/** A share of a hundred: 12.5 is "12.5%". */
export function formatPercent(value: number, places = 2): string {
  return numbers(`percent ${places}`, { style: 'percent', maximumFractionDigits: places }).format(
    value / 100,
  );
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A size, in units of a thousand. */
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

/** Seconds as a span: `1d 2h 5m`, the wire's Duration. */
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

// Making a formatter costs more than a hundred uses of it.
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
