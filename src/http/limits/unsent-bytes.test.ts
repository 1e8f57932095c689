import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsentBytes } from './unsent-bytes.ts';

function accounts(perCaller: number, total: number) {
  const bytes = new UnsentBytes({ perCaller, total });
  const cut: string[] = [];
  const begin = (caller: string, name: string, size: number) => {
    const reply = { caller, cut: () => cut.push(name) };
    bytes.set(reply, size);
    return reply;
  };
  return { bytes, cut, begin };
}

test('each caller may have one reply of any size, a second one only within the budget', () => {
  const { bytes, begin } = accounts(100, 1_000);
  assert.equal(bytes.admits('a', 500), true);
  const first = begin('a', 'first', 60);
  assert.equal(bytes.admits('a', 40), true);
  assert.equal(bytes.admits('a', 41), false);
  assert.equal(bytes.admits('a', 1), false, 'after a no it is no, until some are read');
  assert.equal(bytes.admits('b', 100), true);
  bytes.delete(first);
  assert.equal(bytes.admits('a', 100), true);
  assert.equal(bytes.total, 0);
});

test('the largest reply of a caller with too many bytes is cut off, never the only one', () => {
  const { bytes, cut, begin } = accounts(100, 1_000);
  begin('a', 'small', 10);
  const stream = begin('a', 'stream', 0);
  begin('b', 'alone', 300);
  bytes.set(stream, 91);
  assert.equal(bytes.enforce('a'), 1);
  assert.equal(bytes.enforce('b'), 0);
  assert.deepEqual(cut, ['stream']);
  assert.equal(bytes.total, 310);
});

test('above the total limit, the caller with the most bytes is cut off first', () => {
  const { bytes, cut, begin } = accounts(1_000, 100);
  begin('a', 'a1', 40);
  begin('a', 'a2', 30);
  begin('b', 'b', 50);
  assert.equal(bytes.enforce('b'), 1);
  assert.deepEqual(cut, ['a1']);
  assert.equal(bytes.total, 80);
  const last = begin('c', 'c', 500);
  bytes.enforce('c');
  assert.deepEqual(cut, ['a1', 'c']);
  bytes.delete(last);
  assert.equal(bytes.total, 80, 'what was cut off is not counted twice');
});
