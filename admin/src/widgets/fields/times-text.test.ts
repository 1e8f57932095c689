import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readDuration, writeDuration } from './duration-text.ts';

describe('durations as users type them', () => {
  test('are parsed in days, hours, minutes and seconds', () => {
    assert.equal(readDuration('1d 2h 3m 4s'), 93_784);
    assert.equal(readDuration('90m'), 5_400);
    assert.equal(readDuration('1.5h'), 5_400);
    assert.equal(readDuration('45'), 45);
    for (const text of ['', 'soon', '1 week', '1h then', '-5m'])
      assert.equal(readDuration(text), undefined, text);
  });

  test('are shown as they were typed', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (seconds) => {
        assert.equal(readDuration(writeDuration(seconds)), seconds);
      }),
    );
  });
});
