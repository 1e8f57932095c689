/** First and last day, `YYYY-MM-DD`. */
export type Days = readonly [from: string, to: string];

interface Day {
  readonly year: number;
  /** 0 is January; a month beyond the year continues in the next. */
  readonly month: number;
  readonly day: number;
}

const SPANS: Readonly<Record<string, (today: Day) => Days>> = {
  yesterday: (today) => days(today, -1, -1),
  today: (today) => days(today, 0, 0),
  tomorrow: (today) => days(today, 1, 1),
  'last 7 days': (today) => days(today, -7, 0),
  'last 14 days': (today) => days(today, -14, 0),
  'last 30 days': (today) => days(today, -30, 0),
  'next 7 days': (today) => days(today, 0, 7),
  'next 14 days': (today) => days(today, 0, 14),
  'next 30 days': (today) => days(today, 0, 30),
  'last week': (today) => week(today, -1),
  'this week': (today) => week(today, 0),
  'next week': (today) => week(today, 1),
  'last month': (today) => months(today, 1, -1, 1),
  'this month': (today) => months(today, 1, 0, 1),
  'next month': (today) => months(today, 1, 1, 1),
  'last quarter': (today) => months(today, 3, -1, 1),
  'this quarter': (today) => months(today, 3, 0, 1),
  'next quarter': (today) => months(today, 3, 1, 1),
  'last 6 months': (today) => months(today, 3, -2, 2),
  'next 6 months': (today) => months(today, 3, 1, 2),
  'last year': (today) => months(today, 12, -1, 1),
  'this year': (today) => months(today, 12, 0, 1),
  'next year': (today) => months(today, 12, 1, 1),
};

const PERIODS: Readonly<Record<string, string>> = {
  '1 week': 'week',
  '1 month': 'month',
  '3 months': 'quarter',
  '6 months': '6 months',
  '1 year': 'year',
};

/** The timespans by name. */
export const TIMESPANS: readonly string[] = Object.keys(SPANS);

/** The periods that `previous` and `next` accept. */
export const PERIOD_NAMES: readonly string[] = Object.keys(PERIODS);

/** The days of a timespan such as `last 7 days`, any case; null for an unknown one. `today` is a date. */
export function timespanDays(name: string, today: string): Days | null {
  const span = tidy(name);
  return Object.hasOwn(SPANS, span) ? (SPANS[span]?.(dayOf(today)) ?? null) : null;
}

/** The days of the period, such as `3 months`, before or after the present one. */
export function periodDays(direction: 'last' | 'next', name: string, today: string): Days | null {
  const period = tidy(name);
  return Object.hasOwn(PERIODS, period) ? timespanDays(`${direction} ${PERIODS[period]}`, today) : null;
}

function tidy(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

function dayOf(date: string): Day {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return { year, month: month - 1, day };
}

function days({ year, month, day }: Day, from: number, to: number): Days {
  return [date(year, month, day + from), date(year, month, day + to)];
}

// Weeks start on Sunday.
function week({ year, month, day }: Day, away: number): Days {
  const sunday = day - new Date(Date.UTC(year, month, day)).getUTCDay() + 7 * away;
  return [date(year, month, sunday), date(year, month, sunday + 6)];
}

// `count` periods of `length` months, the first one `away` periods from the present one.
function months({ year, month }: Day, length: number, away: number, count: number): Days {
  const first = month - (month % length) + away * length;
  return [date(year, first, 1), date(year, first + count * length, 0)];
}

// Days and months beyond their range continue in the next.
function date(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}
