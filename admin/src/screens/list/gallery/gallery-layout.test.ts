import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsIn, TILE, tileAfter, tilesBetween } from './gallery-layout.ts';

test('a phone has two tiles beside each other, and no width has none', () => {
  assert.deepEqual([0, 120, 296, 366, 1_110].map(columnsIn), [1, 1, 2, 2, 5]);
});

test('only tiles near the window are in view', () => {
  assert.deepEqual(tilesBetween(0, 2 * TILE, 3), { columns: 3, first: 0, last: 12 });
  assert.deepEqual(tilesBetween(10 * TILE, 12 * TILE, 3), { columns: 3, first: 24, last: 42 });
});

test('arrows go from tile to tile and stop at the edges', () => {
  assert.equal(tileAfter('next', 4, 3, 6), 5);
  assert.equal(tileAfter('next', 5, 3, 6), 5);
  assert.equal(tileAfter('previous', 0, 3, 6), 0);
  assert.equal(tileAfter('ArrowDown', 1, 3, 6), 4);
  assert.equal(tileAfter('ArrowDown', 4, 3, 6), 4);
  assert.equal(tileAfter('ArrowUp', 4, 3, 6), 1);
  assert.equal(tileAfter('End', 1, 3, 6), 5);
  assert.equal(tileAfter('Home', 4, 3, 6), 0);
  assert.equal(tileAfter('a', 4, 3, 6), null);
});
