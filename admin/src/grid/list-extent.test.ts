import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrived, counted, NO_EXTENT, pagesBetween, reaching } from './list-extent.ts';

test('a list starts with the capped count and ends at its last page', () => {
  let extent = counted(NO_EXTENT, 10_000, true);
  assert.deepEqual(extent, { rows: 10_000, isExact: false });
  extent = arrived(extent, 0, 100, true);
  assert.deepEqual(extent, { rows: 10_000, isExact: false });
  extent = arrived(extent, 99, 100, true);
  assert.deepEqual(extent, { rows: 20_000, isExact: false });
  extent = arrived(extent, 104, 30, false);
  assert.deepEqual(extent, { rows: 10_430, isExact: true });
});

test('rows beyond the count can be reached, rows beyond the end cannot', () => {
  const capped = counted(NO_EXTENT, 10_000, true);
  assert.equal(reaching(capped, 69_999).rows, 70_099);
  const whole = counted(NO_EXTENT, 500, false);
  assert.equal(reaching(whole, 69_999), whole);
  const beyond = reaching(capped, 69_999);
  assert.deepEqual(arrived(beyond, 699, 0, false), { rows: 69_900, isExact: false });
});

test('added rows lengthen a list, removed rows shorten it', () => {
  const whole = counted(NO_EXTENT, 150, false);
  assert.deepEqual(arrived(whole, 1, 80, false), { rows: 180, isExact: true });
  assert.deepEqual(arrived(whole, 1, 20, false), { rows: 120, isExact: true });
  assert.equal(arrived(whole, 0, 100, true), whole);
  assert.deepEqual(arrived(counted(NO_EXTENT, 0, false), 0, 0, false), { rows: 0, isExact: true });
});

test('rows know their pages', () => {
  assert.deepEqual(pagesBetween(0, 0), [0]);
  assert.deepEqual(pagesBetween(0, 100), [0]);
  assert.deepEqual(pagesBetween(95, 205), [0, 1, 2]);
});
