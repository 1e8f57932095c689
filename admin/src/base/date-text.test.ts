import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateHint, readDate, readTime, writeDate } from './date-text.ts';

test('dates are written and read in the order of the locale', () => {
  for (const [locale, text, hint] of [
    ['en-GB', '05/01/2026', 'DD/MM/YYYY'],
    ['en-US', '01/05/2026', 'MM/DD/YYYY'],
    ['de', '05.01.2026', 'DD.MM.YYYY'],
    ['sv', '2026-01-05', 'YYYY-MM-DD'],
  ] as const) {
    assert.equal(writeDate('2026-01-05', locale), text);
    assert.equal(readDate(text, locale), '2026-01-05');
    assert.equal(dateHint(locale), hint);
  }
  for (const locale of ['ar', 'ar-EG', 'fa', 'th', 'hi', 'es'])
    assert.equal(readDate(writeDate('2026-01-05', locale), locale), '2026-01-05', locale);
  assert.equal(readDate('٠٥/٠١/٢٠٢٦', 'ar-EG'), '2026-01-05');
});

test('short and wire forms are dates too', () => {
  for (const text of ['5/1/26', '5.1.2026', '5 1', '5/1', '2026-01-05', '20260105', ' 5-1-2026 '])
    assert.equal(readDate(text, 'en-GB', 2026), '2026-01-05', text);
  assert.equal(readDate('29/2/2024', 'en-GB'), '2024-02-29');
});

test('any other text is no date', () => {
  for (const text of ['', 'tomorrow', '5', '31/2/2026', '0/1/2026', '5/13/2026', '5/1/2026/7'])
    assert.equal(readDate(text, 'en-GB'), undefined, text);
});

test('times are read with and without seconds', () => {
  for (const [text, time] of [
    ['9:5', '09:05:00'],
    ['09:05:30', '09:05:30'],
    ['0905', '09:05:00'],
    ['09:05:30.123456', '09:05:30'],
    ['24:00', undefined],
    ['soon', undefined],
  ] as const)
    assert.equal(readTime(text, 'en'), time, text);
});
