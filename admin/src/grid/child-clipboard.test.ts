import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTsv, writeTsv } from './child-clipboard.ts';

test('cells copied from a spreadsheet are parsed', () => {
  assert.deepEqual(readTsv('a\tb\r\nc\td\r\n'), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(readTsv('one'), [['one']]);
  assert.deepEqual(readTsv(''), []);
  assert.deepEqual(readTsv('a\t\n\tb'), [
    ['a', ''],
    ['', 'b'],
  ]);
  assert.deepEqual(readTsv('"two\nlines"\t"a ""word"""\tx'), [['two\nlines', 'a "word"', 'x']]);
  assert.deepEqual(readTsv('5" pipe\t"half'), [['5" pipe', '"half']]);
});

test('every written value is parsed back', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', 'é') });
  const rows = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
    );
  fc.assert(
    fc.property(rows, (cells) => {
      // A last empty line cannot be told from the trailing line end of a spreadsheet.
      fc.pre(!(cells.at(-1)?.length === 1 && cells.at(-1)?.[0] === ''));
      assert.deepEqual(readTsv(writeTsv(cells)), cells);
    }),
  );
});
