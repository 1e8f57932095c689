/** The slopes that the soak judges by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slopeOf } from './slope.ts';

/** The same noise each time, between -1 and 1. */
function noise(index: number): number {
  return Math.sin(index * 12.9898) * Math.cos(index * 78.233);
}

for (const [what, perHour, amplitude, isGrowth] of [
  ['a line', 10, 0, true],
  ['a line in noise', 10, 5, true],
  ['noise alone', 0, 5, false],
  ['a slow growth that the noise hides', 0.1, 50, false],
  ['a decline', -10, 5, false],
] as const)
  test(`${what} is ${isGrowth ? 'growth' : 'no growth'}`, () => {
    const points = Array.from({ length: 400 }, (_, index) => {
      const at = index / 200;
      return { at, value: 300 + perHour * at + amplitude * noise(index) };
    });
    const slope = slopeOf(points);
    assert.ok(slope);
    assert.equal(slope.least > 1, isGrowth, JSON.stringify(slope));
    assert.ok(slope.least <= perHour + 1e-9 && slope.most >= perHour - 1e-9, JSON.stringify(slope));
  });

test('a few points tell nothing', () => {
  assert.equal(slopeOf([{ at: 0, value: 1 }]), null);
});
