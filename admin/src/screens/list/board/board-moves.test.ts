import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMoves, movedRows } from './board-moves.ts';

const rows = (...names: string[]) => names.map((name) => ({ name }));
const namesOf = (lane: ReturnType<typeof movedRows>) =>
  Array.from({ length: lane.length }, (_, place) => lane.at(place)?.['name']);

test('a moved card leaves its column and comes first in the other, before the server answers', () => {
  const open = rows('a', 'b', 'c', 'd');
  const moves = createMoves();
  moves.add({ name: 'b', row: { name: 'b' }, from: 'Open', index: 1, to: 'Done' });
  moves.add({ name: 'd', row: { name: 'd' }, from: 'Open', index: 3, to: 'Done' });
  const left = movedRows(moves.get(), 'Open', 4, (index) => open[index]);
  assert.deepEqual(namesOf(left), ['a', 'c']);
  assert.deepEqual([0, 1].map(left.indexOf), [0, 2]);
  const come = movedRows(moves.get(), 'Done', 1, (index) => rows('x')[index]);
  assert.deepEqual(namesOf(come), ['d', 'b', 'x']);
});

test('rows that show the move already count it once', () => {
  const moves = createMoves();
  moves.add({ name: 'b', row: { name: 'b' }, from: 'Open', index: 1, to: 'Done' });
  const open = rows('a', 'c');
  assert.deepEqual(namesOf(movedRows(moves.get(), 'Open', 2, (index) => open[index])), ['a', 'c']);
  const done = rows('b', 'x');
  assert.deepEqual(namesOf(movedRows(moves.get(), 'Done', 2, (index) => done[index])), ['b', 'x']);
});

test('a card that moves again has only its last place, and none after it is taken back', () => {
  const moves = createMoves();
  const first = { name: 'b', row: { name: 'b' }, from: 'Open', index: 0, to: 'Done' };
  const second = { ...first, to: 'Lost' };
  moves.add(first);
  moves.add(second);
  assert.deepEqual(moves.get(), [second]);
  moves.remove(second);
  assert.deepEqual(moves.get(), []);
});
