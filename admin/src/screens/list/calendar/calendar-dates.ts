/** Days are `YYYY-MM-DD`, times `YYYY-MM-DD HH:MM:SS` of one zone, so that they compare as texts. */

export const MODES = ['month', 'week', 'day', 'agenda'] as const;
export type Mode = (typeof MODES)[number];

/** The day some days later, or earlier. */
export function addDays(day: string, count: number): string {
  const [year, month, date] = parts(day);
  return dayText(year, month - 1, date + count);
}

/** The same day some months later, or the last of that month. */
export function addMonths(day: string, count: number): string {
  const [year, month, date] = parts(day);
  const first = dayText(year, month - 1 + count, 1);
  const [y, m] = parts(first);
  const last = Number(dayText(y, m, 0).slice(8));
  return dayText(y, m - 1, Math.min(date, last));
}

/** Days from one to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((utcOf(to) - utcOf(from)) / 86_400_000);
}

/** The first day of the week. `weekStart` is 1 for Monday to 7 for Sunday. */
export function startOfWeek(day: string, weekStart: number): string {
  const weekday = new Date(utcOf(day)).getUTCDay();
  return addDays(day, -((weekday - weekStart + 7) % 7));
}

/** The weeks that a month touches, each as its seven days. */
export function weeksOfMonth(day: string, weekStart: number): readonly (readonly string[])[] {
  const first = `${day.slice(0, 8)}01`;
  const end = addMonths(first, 1);
  const weeks: string[][] = [];
  for (let start = startOfWeek(first, weekStart); start < end; start = addDays(start, 7))
    weeks.push(Array.from({ length: 7 }, (_, at) => addDays(start, at)));
  return weeks;
}

/** The days that a view shows: the first and the last. */
export function daysShown(
  mode: Mode,
  day: string,
  weekStart: number,
): readonly [first: string, last: string] {
  switch (mode) {
    case 'day':
      return [day, day];
    case 'week': {
      const first = startOfWeek(day, weekStart);
      return [first, addDays(first, 6)];
    }
    case 'agenda': {
      const first = `${day.slice(0, 8)}01`;
      return [first, addDays(addMonths(first, 1), -1)];
    }
    case 'month': {
      const weeks = weeksOfMonth(day, weekStart);
      return [weeks[0]?.[0] ?? day, weeks.at(-1)?.[6] ?? day];
    }
  }
}

/** The day that the next or previous page of a view shows. */
export function pageFrom(mode: Mode, day: string, direction: 1 | -1): string {
  if (mode === 'day') return addDays(day, direction);
  return mode === 'week' ? addDays(day, 7 * direction) : addMonths(day, direction);
}

/** A time some minutes later. */
export function addMinutes(time: string, count: number): string {
  const at = Date.parse(`${time.slice(0, 10)}T${time.slice(11, 19)}Z`) + count * 60_000;
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Minutes from midnight. */
export function minutesOf(time: string): number {
  return Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16));
}

/** True if the text is a day that exists. */
export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && addDays(text, 0) === text;
}

/** The first day of the week in a locale: 1 for Monday to 7 for Sunday. */
export function weekStartOf(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    readonly getWeekInfo?: () => { readonly firstDay: number };
    readonly weekInfo?: { readonly firstDay: number };
  };
  return known.getWeekInfo?.().firstDay ?? known.weekInfo?.firstDay ?? 1;
}

function parts(day: string): [year: number, month: number, date: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))];
}

function utcOf(day: string): number {
  const [year, month, date] = parts(day);
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, date);
  return at.getTime();
}

// Months and days beyond their range continue in the next.
function dayText(year: number, month: number, date: number): string {
  const at = new Date(0);
  at.setUTCFullYear(year, month, date);
  return at.toISOString().slice(0, 10);
}
