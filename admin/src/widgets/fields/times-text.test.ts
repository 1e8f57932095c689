import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readDuration, writeDuration } from './duration-text.ts';

describe('spans of time as people write them', () => {
  test('are read in days, hours, minutes and seconds', () => {
    assert.equal(readDuration('1d 2h 3m 4s'), 93_784);
    assert.equal(readDuration('90m'), 5_400);
    assert.equal(readDuration('1.5h'), 5_400);
    assert.equal(readDuration('45'), 45);
    for (const text of ['', 'soon', '1 week', '1h then', '-5m'])
      assert.equal(readDuration(text), undefined, text);
  });

  test('come back as they were written', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (seconds) => {
        assert.equal(readDuration(writeDuration(seconds)), seconds);
      }),
    );
  });
});
