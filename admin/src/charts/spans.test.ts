import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentOf, timestampOf } from '../base/time-zone.ts';
import { alongSlots, slotsOf } from './spans.ts';

const clock = (zone: string) => ({
  timestampOf: (millis: number) => timestampOf(millis, zone),
  momentOf: (timestamp: string) => momentOf(timestamp, zone),
});

test('a day has every hour once, including the current one', () => {
  const now = Date.UTC(2026, 10, 21, 10, 30);
  const slots = slotsOf('hour', 24, now, clock('UTC'));
  assert.equal(slots.length, 25);
  assert.deepEqual([slots[0]?.key, slots.at(-1)?.key], ['2026-11-20 10', '2026-11-21 10']);
  for (const [place, { at }] of slots.entries())
    if (place > 0) assert.equal(at - (slots[place - 1]?.at ?? 0), 3_600);
});

test('spans by minute and by day work the same way', () => {
  const now = Date.UTC(2026, 10, 21, 10, 30, 20);
  const minutes = slotsOf('minute', 1, now, clock('Asia/Kolkata'));
  assert.equal(minutes.length, 61);
  assert.equal(minutes.at(-1)?.key, '2026-11-21 16:00');
  const days = slotsOf('day', 720, now, clock('UTC'));
  assert.equal(days.length, 31);
  assert.equal(days.at(-1)?.key, '2026-11-21');
});

test('a clock change neither repeats nor drops an hour', () => {
  for (const [month, day] of [
    [2, 29],
    [9, 25],
  ] as const) {
    const now = Date.UTC(2026, month, day, 12);
    const slots = slotsOf('hour', 24, now, clock('Europe/Berlin'));
    assert.equal(new Set(slots.map(({ key }) => key)).size, slots.length);
    assert.ok(slots.length === 25 || slots.length === 24, String(slots.length));
    for (const [place, { at }] of slots.entries()) if (place > 0) assert.ok(at > (slots[place - 1]?.at ?? 0));
  }
});

test('counts go into their periods, and other periods are empty', () => {
  const slots = slotsOf('hour', 2, Date.UTC(2026, 10, 21, 10, 30), clock('UTC'));
  const counted = [
    { hour: '2026-11-21 09', deliveries: 4 },
    { hour: '2026-11-01 09', deliveries: 9 },
  ];
  const values = alongSlots(
    slots,
    counted,
    (one) => one.hour,
    (one) => one.deliveries,
    0,
  );
  assert.deepEqual(values, [0, 4, 0]);
});
