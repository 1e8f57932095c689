import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERIOD_NAMES, periodDays, TIMESPANS, timespanDays } from './timespan.ts';

test('every timespan is correct in the middle of a leap February', () => {
  const found = TIMESPANS.map((name) => [name, timespanDays(name, '2024-02-29')?.join(' ')]);
  assert.deepEqual(Object.fromEntries(found), {
    yesterday: '2024-02-28 2024-02-28',
    today: '2024-02-29 2024-02-29',
    tomorrow: '2024-03-01 2024-03-01',
    'last 7 days': '2024-02-22 2024-02-29',
    'last 14 days': '2024-02-15 2024-02-29',
    'last 30 days': '2024-01-30 2024-02-29',
    'next 7 days': '2024-02-29 2024-03-07',
    'next 14 days': '2024-02-29 2024-03-14',
    'next 30 days': '2024-02-29 2024-03-30',
    'last week': '2024-02-18 2024-02-24',
    'this week': '2024-02-25 2024-03-02',
    'next week': '2024-03-03 2024-03-09',
    'last month': '2024-01-01 2024-01-31',
    'this month': '2024-02-01 2024-02-29',
    'next month': '2024-03-01 2024-03-31',
    'last quarter': '2023-10-01 2023-12-31',
    'this quarter': '2024-01-01 2024-03-31',
    'next quarter': '2024-04-01 2024-06-30',
    'last 6 months': '2023-07-01 2023-12-31',
    'next 6 months': '2024-04-01 2024-09-30',
    'last year': '2023-01-01 2023-12-31',
    'this year': '2024-01-01 2024-12-31',
    'next year': '2025-01-01 2025-12-31',
  });
});

test('timespans are correct on the last days of a year and of a week', () => {
  assert.deepEqual(timespanDays('next month', '2025-12-31'), ['2026-01-01', '2026-01-31']);
  assert.deepEqual(timespanDays('next quarter', '2025-12-31'), ['2026-01-01', '2026-03-31']);
  assert.deepEqual(timespanDays('next 6 months', '2025-12-31'), ['2026-01-01', '2026-06-30']);
  assert.deepEqual(timespanDays('this week', '2026-01-03'), ['2025-12-28', '2026-01-03']);
  assert.deepEqual(timespanDays('this week', '2026-01-04'), ['2026-01-04', '2026-01-10']);
});

test('previous and next periods are correct, in upper or lower case', () => {
  assert.deepEqual(
    PERIOD_NAMES.map((name) => periodDays('last', name, '2026-03-15')?.join(' ')),
    [
      '2026-03-08 2026-03-14',
      '2026-02-01 2026-02-28',
      '2025-10-01 2025-12-31',
      '2025-07-01 2025-12-31',
      '2025-01-01 2025-12-31',
    ],
  );
  assert.deepEqual(periodDays('next', ' 1  MONTH ', '2026-03-15'), ['2026-04-01', '2026-04-30']);
  assert.deepEqual(timespanDays(' Last  Week', '2026-03-15'), ['2026-03-08', '2026-03-14']);
});

test('unknown names are refused', () => {
  for (const name of ['', 'last', 'last 8 days', 'constructor', '__proto__'])
    assert.equal(timespanDays(name, '2026-03-15'), null);
  assert.equal(periodDays('next', '2 weeks', '2026-03-15'), null);
});
