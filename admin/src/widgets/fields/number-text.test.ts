import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readNumber, writeNumber } from './number-text.ts';

describe('numbers as users type them', () => {
  test('are parsed with the separators of the locale', () => {
    assert.equal(readNumber('1,234.5', 'en'), 1234.5);
    assert.equal(readNumber('1.234,5', 'de'), 1234.5);
    assert.equal(readNumber('1.234', 'de'), 1234);
    assert.equal(readNumber('1.234', 'en'), 1.234);
    assert.equal(readNumber('12,34,567.8', 'en-IN'), 1234567.8);
    assert.equal(readNumber('1 234,5', 'fr'), 1234.5);
    assert.equal(readNumber('١٢٫٥', 'ar-EG'), 12.5);
    assert.equal(readNumber(' −7 ', 'en'), -7);
    assert.equal(readNumber('1e3', 'en'), 1000);
  });

  test('are refused when they are not numbers', () => {
    for (const text of ['', 'abc', '1,2,3', '--1', '1.2.3', '0x10', 'Infinity', '1 apple'])
      assert.equal(readNumber(text, 'en'), undefined, text);
  });

  test('appear in an input as they were typed', () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(number, fc.constantFrom('en', 'de', 'es', 'fr', 'ar', 'en-IN'), (value, locale) => {
        assert.equal(readNumber(writeNumber(value, locale), locale), value === 0 ? 0 : value);
      }),
    );
  });
});
