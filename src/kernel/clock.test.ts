import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('no two timestamps are equal', () => {
  const clock = systemClock();
  const moments = Array.from({ length: 10_000 }, () => clock.micros());
  for (const [index, moment] of moments.entries()) {
    if (index > 0) assert.ok(moment > (moments[index - 1] ?? 0), `moment ${index}`);
  }
});

for (const [direction, shift] of [
  ['forward', 3_600_000],
  ['back', -3_600_000],
] as const) {
  test(`the clock follows when the time of the machine is set ${direction}`, (t) => {
    const clock = systemClock();
    const before = clock.micros();
    const { now } = Date;
    t.mock.method(Date, 'now', () => now() + shift);
    const moved = (clock.micros() - before) / 1000;
    assert.ok(Math.abs(moved - shift) < 60_000, `moved by ${moved} ms`);
  });
}

test('a constant difference of the clocks has no effect', (t) => {
  const clock = systemClock();
  const before = clock.micros();
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() - 900);
  assert.ok(clock.micros() > before);
});
