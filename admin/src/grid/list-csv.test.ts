import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine, csvRow } from './list-csv.ts';

// A simple parser of RFC 4180.
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; !(text[at] === '"' && text[at + 1] !== '"'); at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++];
    row.push(cell);
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    rows.push(row);
    row = [];
    at += 2;
  }
  return rows;
}

test('texts survive export and import unchanged', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a"b', 'a,b', 'a\r\nb', ' a', '"', ''),
  );
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), (rows) => {
      assert.deepEqual(readCsv(rows.map(csvLine).join('')), rows);
    }),
  );
});

test('a spreadsheet runs no text as a formula', () => {
  const values = ['=1+1', "'=1", '@x', '-5', -5, '\t=1'];
  assert.equal(csvRow(values, { isGuarded: true }), `'=1+1,''=1,'@x,-5,-5,'\t=1\r\n`);
  assert.equal(csvRow(['=1+1'], { isGuarded: false }), '=1+1\r\n');
  assert.equal(csvRow([null, undefined], { isGuarded: true }), ',\r\n');
  assert.equal(csvRow([[{ b: 1 }]], { isGuarded: true }), '"[{""b"":1}]"\r\n');
});
