import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import { batchesOf, groupsOf } from './batches.ts';

const text = 'x'.repeat(LIMITS.loadBatchBytes / 4);
const rows = Array.from({ length: LIMITS.loadBatchRows / 2 }, () => ({ a: 1 }));

/** The values of the records, and the sizes of their batches of at most six. */
const CASES: readonly (readonly [readonly Fields[], readonly number[]])[] = [
  [[], []],
  [Array.from({ length: 13 }, () => ({ a: 'small' })), [6, 6, 1]],
  [Array.from({ length: 9 }, () => ({ text })), [4, 4, 1]],
  [Array.from({ length: 3 }, () => ({ rows: [{ text }, { text, more: text }] })), [2, 1]],
  [Array.from({ length: 5 }, () => ({ rows })), [2, 2, 1]],
];

test('a batch ends at its number of records, of rows, or of bytes', async () => {
  for (const [values, sizes] of CASES) {
    const records = values.map((one, at) => ({ doctype: 'Note', key: String(at), values: one }));
    const grouped = [...groupsOf(records, 6)];
    const batches: number[] = [];
    for await (const batch of batchesOf(asStream(records), 6)) batches.push(batch.records.length);
    assert.deepEqual([grouped.map(({ length }) => length), grouped.flat()], [sizes, records]);
    assert.deepEqual(batches, sizes);
  }
});

async function* asStream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
