import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../kernel/limits.ts';
import { LoopFuse } from './loop-fuse.ts';

const MINUTE = 60_000;

/** A document that changes at each of these moments; the moments at which something is delivered. */
function deliveries(fuse: LoopFuse, moments: readonly number[]): { sent: Set<number>; tripped: string[] } {
  const sent = new Set<number>();
  const tripped: string[] = [];
  for (const now of moments) {
    const throttle = fuse.check('key', now);
    fuse.count('key', now, throttle);
    sent.add(now + (throttle?.delay ?? 0));
    if (throttle?.tripped) tripped.push(throttle.tripped);
  }
  return { sent, tripped };
}

/** A receiver that answers each delivery with a change. */
function loop(fuse: LoopFuse, length: number): { sent: number[]; tripped: string[] } {
  const sent: number[] = [];
  const tripped: string[] = [];
  for (let now = 1_000; now < length; ) {
    const throttle = fuse.check('key', now);
    fuse.count('key', now, throttle);
    if (throttle?.tripped) tripped.push(throttle.tripped);
    now += throttle?.delay ?? 0;
    sent.push(now);
    now += 5;
  }
  return { sent, tripped };
}

test('a document with a normal rate of changes is not throttled', () => {
  const moments = Array.from({ length: 100 }, (_, index) => index * 3_100);
  const { sent, tripped } = deliveries(new LoopFuse(20), moments);
  assert.deepEqual([...sent], moments);
  assert.deepEqual(tripped, []);
});

test('an endlessly changing document is delivered every ten seconds', () => {
  const moments = Array.from({ length: 60_000 }, (_, index) => index * 10);
  const { sent, tripped } = deliveries(new LoopFuse(20), moments);
  // Ten minutes: twenty at the beginning of each, and one every ten seconds.
  assert.ok(sent.size > 60 && sent.size <= 10 * (20 + 6), String(sent.size));
  assert.equal(tripped[0], 'coalesced');
});

test('a loop is reduced to one delivery every ten minutes', () => {
  const { sent, tripped } = loop(new LoopFuse(20), 60 * MINUTE);
  assert.ok(sent.length < 6 * 201 + 6, String(sent.length));
  assert.deepEqual(tripped.slice(0, 1), ['coalesced']);
  assert.ok(tripped.includes('held'));
  const last = sent.at(-1) ?? 0;
  const before = sent.findLast((moment) => moment <= last - 9 * MINUTE);
  assert.ok(before !== undefined);
});

test('the newest change is delivered within ten minutes, on any clock', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 * MINUTE }), { maxLength: 500 }),
      fc.integer({ min: 0, max: 30 }),
      (moments, limit) => {
        const fuse = new LoopFuse(limit);
        for (const now of moments) {
          const throttle = fuse.check('key', now);
          fuse.count('key', now, throttle);
          const delay = throttle?.delay ?? 0;
          assert.ok(delay >= 0 && delay <= 10 * MINUTE, String(delay));
          if (limit === 0) assert.equal(throttle, null);
        }
      },
    ),
  );
});

test('documents are counted separately, and old ones are evicted', () => {
  const fuse = new LoopFuse(1);
  fuse.count('first', 0, null);
  assert.ok(fuse.check('first', 1));
  assert.equal(fuse.check('second', 1), null);
  for (let index = 0; index < LIMITS.watchedForLoops; index += 1) fuse.count(`key ${index}`, 1, null);
  assert.equal(fuse.check('first', 1), null);
  assert.ok(fuse.check(`key ${LIMITS.watchedForLoops / 2}`, 1));
});
