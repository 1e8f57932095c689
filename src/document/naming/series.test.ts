import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { parseFormat, parseSeries, weekOfYear } from './series.ts';

const doctype = parseDoctype({ name: 'Any', fields: [{ fieldname: 'customer', fieldtype: 'Data' }] });

test('weeks never belong to another year', () => {
  const weeks: [string, string][] = [
    ['2026-01-01', '01'],
    ['2027-01-01', '00'],
    ['2027-01-04', '01'],
    ['2024-12-30', '53'],
    ['2026-12-31', '53'],
    ['2026-11-21', '47'],
  ];
  for (const [date, week] of weeks) assert.equal(weekOfYear(date), week, date);
});

test('a series is split at dots; words of dates and fields are replaced', () => {
  assert.deepEqual(parseSeries('INV-.YYYY.-.####', doctype), [
    { literal: 'INV-' },
    { date: 'YYYY' },
    { literal: '-' },
    { digits: 4 },
  ]);
  assert.deepEqual(parseSeries('{customer}.customer.x.##.##', doctype), [
    { field: 'customer' },
    { field: 'customer' },
    { literal: 'x' },
    { digits: 2 },
  ]);
  assert.deepEqual(parseSeries('T-', doctype), [{ literal: 'T-' }, { digits: 5 }]);
});

test('a format keeps text outside braces', () => {
  assert.deepEqual(parseFormat('A.{YY}{customer}{##}{nothing}', doctype), [
    { literal: 'A.' },
    { date: 'YY' },
    { field: 'customer' },
    { digits: 2 },
    { literal: '{nothing}' },
  ]);
});
