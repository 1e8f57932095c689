import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldName } from './fold-name.ts';
import { HashTable } from './hash-table.ts';
import { isBeyondDouble } from './values.ts';

test('a decimal is beyond a double when none repeats its nine decimals', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['123456789012.123456789', true],
    ['0.100000000', false],
    ['999999999999.990000000', false],
    ['-123456789012.123456789', true],
    ['-0.000000001', false],
    ['123456.123456789', false],
    ['9007199254740993.000000000', true],
    ['9007199254740992.000000000', false],
    ['0.000000000', false],
  ];
  for (const [text, isBeyond] of cases) assert.equal(isBeyondDouble(text), isBeyond, text);
});

test('names fold as the collation of Frappe on MariaDB compares them', () => {
  for (const [one, other] of [
    ['ACME', 'acme '],
    ['Zürich', 'ZURICH'],
    ['Straße', 'STRASSE'],
    ['Ελλάς', 'ελλασ'],
  ] as const)
    assert.equal(foldName(one), foldName(other), one);
  assert.notEqual(foldName('a b'), foldName('ab'));
});

test('a table of hashes keeps each entry while it grows, and says when it is full', () => {
  const table = new HashTable(10_000, true);
  for (let at = 0; at < 10_000; at += 1) assert.ok(table.count(at * 0x1fffffff, at, () => at + 1));
  assert.equal(
    table.count(0x1fffffff, 7, () => 0),
    true,
  );
  assert.equal(
    table.count(3, 7, () => 0),
    false,
  );
  assert.equal(table.has(3), false);
  const counts = new Map(
    [...table.entries()].map(({ hash, folded, kind, count }) => [hash, [folded, kind, count]]),
  );
  assert.equal(counts.size, 10_000);
  assert.deepEqual(counts.get(0x1fffffff), [2, 1, 2]);
  assert.deepEqual(counts.get(9_999 * 0x1fffffff), [10_000, 9_999, 1]);
});
