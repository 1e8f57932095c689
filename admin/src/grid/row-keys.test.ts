import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recycled } from './row-keys.ts';

const FIRST = recycled(new Map(), [0, 1, 2], null);

test('rows that stay keep their keys, and those that come take the keys of those that went', () => {
  assert.deepEqual([...FIRST.values()], [0, 1, 2]);
  assert.deepEqual(
    [...recycled(FIRST, [1, 2, 3], null)],
    [
      [1, 1],
      [2, 2],
      [3, 0],
    ],
  );
});

test('a jump keeps the order of the keys', () => {
  const scrolled = recycled(FIRST, [1, 2, 3], null);
  assert.deepEqual([...recycled(scrolled, [700, 701, 702], null).values()], [...scrolled.values()]);
});

test('a key is never used twice', () => {
  let keys = FIRST;
  for (const rows of [
    [0, 1, 2, 3, 4],
    [4, 5],
    [5, 6, 7, 8, 9, 10],
    [1, 2, 3, 9],
    [20, 21, 22, 23, 24, 25, 26],
  ]) {
    keys = recycled(keys, rows, null);
    assert.deepEqual([...keys.keys()], rows);
    assert.equal(new Set(keys.values()).size, rows.length);
  }
});

test('the elements of a row with the focus show no other row', () => {
  assert.ok(![...recycled(FIRST, [10, 11, 12], 1).values()].includes(1));
  assert.equal(recycled(FIRST, [1, 2, 3], 1).get(1), 1);
});
