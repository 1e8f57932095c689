import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  formatBytes,
  formatCurrency,
  formatDate,
  formatDatetime,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRelative,
  formatTime,
  setCustoms,
} from './format.ts';
import { betweenZones, momentOf, timestampOf } from './time-zone.ts';

describe('values shown', () => {
  beforeEach(() =>
    setCustoms({ locale: 'en-GB', siteZone: 'Asia/Kolkata', userZone: 'Europe/Berlin', currency: '' }),
  );

  test('timestamps are converted from the zone of the site to that of the user', () => {
    assert.match(formatDatetime('2026-07-01 12:00:00'), /^1 Jul 2026, 08:30$/);
    assert.match(formatDatetime('2026-12-01 12:00:00'), /^1 Dec 2026, 07:30$/);
    assert.equal(formatDatetime('no time'), 'no time');
  });

  test('an unknown zone of a user falls back to the zone of the site', () => {
    setCustoms({ locale: 'en-GB', siteZone: 'UTC', userZone: 'Nowhere/Land', currency: '' });
    assert.match(formatDatetime('2026-07-01 12:00:00'), /12:00$/);
  });

  test('dates and times have no zone', () => {
    assert.equal(formatDate('2026-03-01'), '1 Mar 2026');
    assert.equal(formatDate('soon'), 'soon');
    assert.equal(formatTime('09:05:00'), '09:05');
    assert.equal(formatTime('09:05:07'), '09:05:07');
  });

  test('times around a clock change are correct', () => {
    for (const text of [
      '2026-03-29 01:59:59',
      '2026-03-29 03:00:00',
      '2026-10-25 03:30:00',
      '2026-01-01 00:00:00',
    ])
      assert.equal(timestampOf(momentOf(text, 'Europe/Berlin'), 'Europe/Berlin'), text);
    assert.equal(betweenZones('2026-03-29 03:00:00', 'Europe/Berlin', 'UTC'), '2026-03-29 01:00:00');
  });

  test('relative times name the distance to now', () => {
    const now = momentOf('2026-07-01 12:00:00', 'Asia/Kolkata');
    assert.equal(formatRelative('2026-07-01 11:55:00', now), '5 minutes ago');
    assert.equal(formatRelative('2026-06-30 12:00:00', now), 'yesterday');
    assert.equal(formatRelative('2026-07-01 12:00:00', now), 'now');
  });

  test('numbers, money, sizes and durations are formatted', () => {
    assert.equal(formatNumber(1234.5), '1,234.5');
    assert.equal(formatNumber(2, 2), '2.00');
    assert.equal(formatCurrency(3, 'EUR'), '€3.00');
    assert.equal(formatCurrency(3, 'no currency'), '3.00');
    assert.equal(formatCurrency(3, 'JPY'), 'JP¥3');
    assert.equal(formatPercent(12.5), '12.5%');
    assert.equal(formatBytes(1_500_000), '1.5 MB');
    assert.equal(formatBytes(0), '0 bytes');
    assert.equal(formatDuration(93_784), '1d 2h 3m 4s');
    assert.equal(formatDuration(0), '0s');
  });
});
