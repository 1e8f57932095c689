import { currentCustoms, dateStyle, formatDate, formatTime } from '../../../base/format.ts';
import { momentOf } from '../../../base/time-zone.ts';
import { addDays, type Mode } from './calendar-dates.ts';
import { type CalendarEvent, lastDayOf } from './calendar-events.ts';

/** A day or a time in words of the locale. The text is of the user's zone already. */
export function dayWords(day: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(currentCustoms().locale, { ...options, timeZone: 'UTC' }).format(
    momentOf(day.slice(0, 10), 'UTC'),
  );
}

/** The heading of a page: `November 2026`, `23 – 29 Nov 2026`. */
export function pageWords(mode: Mode, day: string, first: string, last: string): string {
  if (mode === 'day') return dayWords(day, { dateStyle: 'full' });
  if (mode !== 'week') return dayWords(day, { month: 'long', year: 'numeric' });
  const format = new Intl.DateTimeFormat(currentCustoms().locale, {
    dateStyle: dateStyle(),
    timeZone: 'UTC',
  });
  return format.formatRange(momentOf(first, 'UTC'), momentOf(last, 'UTC'));
}

/** The names of seven days from one on. */
export function weekdayWords(first: string, weekday: 'short' | 'narrow'): readonly string[] {
  return Array.from({ length: 7 }, (_, at) => dayWords(addDays(first, at), { weekday }));
}

/** The time of a timestamp, without its seconds: a calendar has no room for them. */
export function timeWords(timestamp: string): string {
  return formatTime(`${timestamp.slice(11, 16)}:00`);
}

/** When an event is, in words. */
export function eventTimes(event: CalendarEvent): string {
  const [from, to] = [event.start.slice(0, 10), lastDayOf(event)];
  const days = from === to ? formatDate(from) : `${formatDate(from)} – ${formatDate(to)}`;
  if (event.isAllDay) return days;
  const start = timeWords(event.start);
  if (from !== to) return `${formatDate(from)} ${start} – ${formatDate(to)} ${timeWords(event.end)}`;
  return `${days} ${start} – ${timeWords(event.end)}`;
}
