import type { Row } from '../../../grid/list-requests.ts';
import { addDays, addMinutes, daysBetween, minutesOf } from './calendar-dates.ts';

/** A document on a calendar. Times are in the zone of the user. */
export interface CalendarEvent {
  readonly name: string;
  readonly title: string;
  readonly row: Row;
  /** Whole days have no time: `2026-11-24`. */
  readonly isAllDay: boolean;
  readonly start: string;
  /** The last day, or the time of the end. */
  readonly end: string;
}

/** A part of an event in one week: the days that it covers, and its line. */
export interface Bar {
  readonly event: CalendarEvent;
  /** From 0. */
  readonly first: number;
  readonly last: number;
  readonly line: number;
  readonly startsHere: boolean;
  readonly endsHere: boolean;
}

/** An event in one day of a time grid: minutes from midnight, and its place beside others. */
export interface Block {
  readonly event: CalendarEvent;
  readonly from: number;
  readonly to: number;
  readonly column: number;
  readonly columns: number;
}

/** How far something is dragged. */
export interface Shift {
  readonly days: number;
  readonly minutes: number;
}

/** Shown minutes of an event without an end, and of a shorter one. */
const SHORTEST = 30;
const UNENDED = 60;

/** Makes an event of a row. Null without a start. `toUser` converts a stored time to the user's zone. */
export function eventOf(
  row: Row,
  {
    start,
    end,
    isAllDay,
    title,
    toUser,
  }: {
    readonly start: string;
    readonly end: string | null;
    readonly isAllDay: boolean;
    readonly title: string;
    readonly toUser: (time: string) => string;
  },
): CalendarEvent | null {
  const from = row[start];
  if (typeof from !== 'string' || from === '') return null;
  const until = end === null ? null : row[end];
  const read = (text: string) => (isAllDay ? text.slice(0, 10) : toUser(text.slice(0, 19)));
  const begins = read(from);
  const ends = typeof until === 'string' && until !== '' ? read(until) : null;
  const usual = isAllDay ? begins : addMinutes(begins, UNENDED);
  return {
    name: String(row['name']),
    title,
    row,
    isAllDay,
    start: begins,
    end: ends !== null && ends >= begins ? ends : usual,
  };
}

/** The last day that an event covers. An end at midnight is not of the next day. */
export function lastDayOf({ start, end, isAllDay }: CalendarEvent): string {
  if (isAllDay || end <= start || minutesOf(end) > 0) return end.slice(0, 10);
  return addDays(end.slice(0, 10), -1);
}

/** Lays out the events of some days, a week or less, in lines. Longer ones come first. */
export function barsOf(events: readonly CalendarEvent[], days: readonly string[]): readonly Bar[] {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const ends: number[] = [];
  const bars: Bar[] = [];
  const inOrder = events
    .filter((event) => event.start.slice(0, 10) <= last && lastDayOf(event) >= first)
    .toSorted(
      (a, b) =>
        compare(a.start.slice(0, 10), b.start.slice(0, 10)) ||
        compare(lastDayOf(b), lastDayOf(a)) ||
        compare(a.start, b.start) ||
        compare(a.title, b.title),
    );
  for (const event of inOrder) {
    const begins = event.start.slice(0, 10);
    const finishes = lastDayOf(event);
    const from = Math.max(0, daysBetween(first, begins));
    const to = Math.min(days.length - 1, daysBetween(first, finishes));
    const free = ends.findIndex((end) => end < from);
    const line = free === -1 ? ends.length : free;
    ends[line] = to;
    bars.push({
      event,
      first: from,
      last: to,
      line,
      startsHere: begins >= first,
      endsHere: finishes <= last,
    });
  }
  return bars;
}

/** Lays out the timed events of a day, those at the same time beside each other. */
export function blocksOf(events: readonly CalendarEvent[], day: string): readonly Block[] {
  const timed = events
    .filter((event) => !isLong(event) && event.start.slice(0, 10) === day)
    .map((event) => {
      const from = minutesOf(event.start);
      const until = event.end.slice(0, 10) > day ? 24 * 60 : minutesOf(event.end);
      return { event, from, to: Math.min(24 * 60, Math.max(until, from + SHORTEST)) };
    })
    .toSorted((a, b) => a.from - b.from || b.to - a.to);
  const blocks: Block[] = [];
  let cluster: { event: CalendarEvent; from: number; to: number; column: number }[] = [];
  const close = () => {
    const columns = Math.max(0, ...cluster.map(({ column }) => column + 1));
    blocks.push(...cluster.map((one) => ({ ...one, columns })));
    cluster = [];
  };
  for (const one of timed) {
    if (cluster.length > 0 && cluster.every(({ to }) => to <= one.from)) close();
    const taken = new Set(cluster.filter(({ to }) => to > one.from).map(({ column }) => column));
    let column = 0;
    while (taken.has(column)) column += 1;
    cluster.push({ ...one, column });
  }
  close();
  return blocks;
}

/** True for an event above the hours: of whole days, or of a day and more. */
export function isLong(event: CalendarEvent): boolean {
  return event.isAllDay || lastDayOf(event) > event.start.slice(0, 10);
}

/** The event after a drag of the whole. */
export function moved(event: CalendarEvent, { days, minutes }: Shift): CalendarEvent {
  const shift = (time: string) =>
    event.isAllDay ? addDays(time, days) : addMinutes(time, days * 24 * 60 + minutes);
  return { ...event, start: shift(event.start), end: shift(event.end) };
}

/** The event after a drag of its end, which never comes before its start. */
export function resized(event: CalendarEvent, { days, minutes }: Shift): CalendarEvent {
  const end = event.isAllDay ? addDays(event.end, days) : addMinutes(event.end, days * 24 * 60 + minutes);
  const least = event.isAllDay ? event.start : addMinutes(event.start, 15);
  return { ...event, end: end < least ? least : end };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
