import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addMonths,
  daysShown,
  isDay,
  pageFrom,
  startOfWeek,
  weekStartOf,
  weeksOfMonth,
} from './calendar-dates.ts';
import {
  barsOf,
  blocksOf,
  type CalendarEvent,
  eventOf,
  isLong,
  lastDayOf,
  moved,
  resized,
} from './calendar-events.ts';

const event = (name: string, start: string, end: string): CalendarEvent => ({
  name,
  title: name,
  row: { name },
  isAllDay: start.length === 10,
  start,
  end,
});

test('weeks begin as in the locale', () => {
  assert.deepEqual(['de-DE', 'en-US', 'ar-EG'].map(weekStartOf), [1, 7, 6]);
  assert.equal(startOfWeek('2026-11-24', 1), '2026-11-23');
  assert.equal(startOfWeek('2026-11-22', 7), '2026-11-22');
  assert.equal(startOfWeek('2026-11-20', 6), '2026-11-14');
});

test('a month shows the whole weeks that it touches', () => {
  const weeks = weeksOfMonth('2026-11-24', 1);
  assert.deepEqual([weeks.length, weeks[0]?.[0], weeks.at(-1)?.[6]], [6, '2026-10-26', '2026-12-06']);
  assert.equal(weeksOfMonth('2027-02-01', 1).length, 4);
  assert.deepEqual(daysShown('agenda', '2028-02-10', 1), ['2028-02-01', '2028-02-29']);
  assert.deepEqual(daysShown('week', '2026-11-24', 7), ['2026-11-22', '2026-11-28']);
  assert.equal(addMonths('2026-01-31', 1), '2026-02-28');
  assert.equal(pageFrom('month', '2026-12-31', -1), '2026-11-30');
  assert.deepEqual(['2026-02-29', '2026-2-1', 3, '2026-02-28'].map(isDay), [false, false, false, true]);
});

test('a row becomes an event in the zone of the user', () => {
  const row = {
    name: 'A',
    begins: '2026-11-24 23:30:00.000000',
    ends: '2026-11-25 00:30:00',
    day: '2026-11-24',
  };
  const toUser = (time: string) => `${time.slice(0, 10)} 12${time.slice(13)}`;
  const timed = eventOf(row, { start: 'begins', end: 'ends', isAllDay: false, title: 'A', toUser });
  assert.deepEqual([timed?.start, timed?.end], ['2026-11-24 12:30:00', '2026-11-25 12:30:00']);
  const whole = eventOf(row, { start: 'day', end: null, isAllDay: true, title: 'A', toUser });
  assert.deepEqual([whole?.start, whole?.end], ['2026-11-24', '2026-11-24']);
  const unended = eventOf(
    { begins: row.begins },
    { start: 'begins', end: 'ends', isAllDay: false, title: '', toUser },
  );
  assert.equal(unended?.end, '2026-11-24 13:30:00');
  assert.equal(eventOf({ name: 'B' }, { start: 'day', end: null, isAllDay: true, title: '', toUser }), null);
});

test('bars share a line only if they share no day', () => {
  const days = weeksOfMonth('2026-11-24', 1)[4] ?? [];
  assert.equal(days[0], '2026-11-23');
  const bars = barsOf(
    [
      event('short', '2026-11-24', '2026-11-24'),
      event('long', '2026-11-20', '2026-11-25'),
      event('late', '2026-11-26', '2026-12-02'),
      event('other', '2026-12-01', '2026-12-01'),
    ],
    days,
  );
  assert.deepEqual(
    bars.map(({ event: { name }, first, last, line, startsHere, endsHere }) => [
      name,
      first,
      last,
      line,
      startsHere,
      endsHere,
    ]),
    [
      ['long', 0, 2, 0, false, true],
      ['short', 1, 1, 1, true, true],
      ['late', 3, 6, 0, true, false],
    ],
  );
});

test('blocks at the same time stand beside each other', () => {
  const blocks = blocksOf(
    [
      event('a', '2026-11-24 09:00:00', '2026-11-24 11:00:00'),
      event('b', '2026-11-24 10:00:00', '2026-11-24 10:05:00'),
      event('c', '2026-11-24 10:30:00', '2026-11-24 12:00:00'),
      event('d', '2026-11-24 12:00:00', '2026-11-25 00:00:00'),
      event('night', '2026-11-24 22:00:00', '2026-11-25 02:00:00'),
      event('elsewhere', '2026-11-25 09:00:00', '2026-11-25 10:00:00'),
    ],
    '2026-11-24',
  );
  assert.deepEqual(
    blocks.map(({ event: { name }, from, to, column, columns }) => [name, from, to, column, columns]),
    [
      ['a', 540, 660, 0, 2],
      ['b', 600, 630, 1, 2],
      ['c', 630, 720, 1, 2],
      ['d', 720, 1_440, 0, 1],
    ],
  );
  assert.equal(isLong(event('night', '2026-11-24 22:00:00', '2026-11-25 02:00:00')), true);
  assert.equal(lastDayOf(event('d', '2026-11-24 12:00:00', '2026-11-25 00:00:00')), '2026-11-24');
});

test('a drag moves both ends, or the end to no place before the start', () => {
  const timed = event('a', '2026-11-30 23:00:00', '2026-12-01 01:00:00');
  assert.deepEqual(
    [moved(timed, { days: 1, minutes: -60 }).start, moved(timed, { days: 1, minutes: -60 }).end],
    ['2026-12-01 22:00:00', '2026-12-02 00:00:00'],
  );
  assert.equal(resized(timed, { days: -3, minutes: 0 }).end, '2026-11-30 23:15:00');
  const whole = event('b', '2026-11-30', '2026-12-02');
  assert.equal(moved(whole, { days: -2, minutes: 0 }).end, '2026-11-30');
  assert.equal(resized(whole, { days: -9, minutes: 0 }).end, '2026-11-30');
});
