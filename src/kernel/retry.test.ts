import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffDelay } from './retry.ts';

const DEFAULT = { base: 5_000, factor: 4, cap: 12 * 60 * 60 * 1000 };

test('the default schedule is 5 s, growing fourfold to 12 h', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => backoffDelay(failures, DEFAULT, 0) / 1000);
  assert.deepEqual(waits, [5, 20, 80, 320, 1280, 5120, 20480, 43200, 43200]);
});

test('thirteen retries span more than three days', () => {
  let total = 0;
  for (let failures = 1; failures <= 13; failures++) total += backoffDelay(failures, DEFAULT, 0);
  assert.ok(total > 79 * 3_600_000 && total < 80 * 3_600_000, String(total));
});

test('a wait is bounded by the cap with jitter, never below the base, and never shrinks', () => {
  const backoffs = fc.record({
    base: fc.integer({ min: 1, max: 60_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    cap: fc.integer({ min: 60_000, max: 86_400_000 }),
  });
  const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), backoffs, fractions, (failures, backoff, fraction) => {
      const wait = backoffDelay(failures, backoff, fraction);
      assert.ok(Number.isSafeInteger(wait));
      assert.ok(wait >= backoff.base);
      assert.ok(wait <= backoff.cap * 1.2 + 1);
      assert.ok(backoffDelay(failures + 1, backoff, 0) >= backoffDelay(failures, backoff, 0));
    }),
  );
});
