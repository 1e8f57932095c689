import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from './at-once.ts';

test('so many pieces of work are begun at once, the others in order', () => {
  const inLine = atOnce(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  for (const piece of [1, 2, 3, 4]) {
    inLine((end) => {
      begun.push(piece);
      ends.push(end);
    });
  }
  assert.deepEqual(begun, [1, 2]);
  ends[1]?.();
  assert.deepEqual(begun, [1, 2, 3]);
  ends[0]?.();
  assert.deepEqual(begun, [1, 2, 3, 4]);
});

test('a piece may end while it begins', () => {
  const inLine = atOnce(1);
  const begun: number[] = [];
  for (const piece of [1, 2, 3]) {
    inLine((end) => {
      begun.push(piece);
      end();
    });
  }
  assert.deepEqual(begun, [1, 2, 3]);
});
