import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedTo, stepOf } from './card-moves.ts';
import type { Card } from './dashboard-data.ts';

const cards = ['a', 'b', 'c'].map((id): Card => ({ id, view: id, type: 'Chart', label: '', width: 'Half' }));
const order = (moved: readonly Card[]) => moved.map(({ id }) => id).join('');

test('a card moves to a position, and no further than the ends', () => {
  assert.equal(order(movedTo(cards, 'a', 1)), 'bac');
  assert.equal(order(movedTo(cards, 'c', 0)), 'cab');
  assert.equal(order(movedTo(cards, 'b', 9)), 'acb');
  assert.equal(order(movedTo(cards, 'b', -1)), 'bac');
  assert.equal(movedTo(cards, 'gone', 0), cards);
});

test('arrows follow the direction of reading', () => {
  assert.deepEqual([stepOf('ArrowRight', false), stepOf('ArrowRight', true)], [1, -1]);
  assert.deepEqual([stepOf('ArrowUp', true), stepOf('ArrowDown', true), stepOf('Enter', false)], [-1, 1, 0]);
});
