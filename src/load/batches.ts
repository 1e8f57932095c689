import { hash } from 'node:crypto';
import { LIMITS } from '../kernel/limits.ts';
import type { LoadProblem } from './problems.ts';
import type { BrokenRecord, KeyedRecord, SourceRecord } from './record.ts';

/** Consecutive records of a source, and those that could not be read. */
export interface SourceBatch {
  readonly records: readonly KeyedRecord[];
  readonly broken: readonly LoadProblem[];
}

/** Groups the records of a source into batches of at most `most` records, with limited rows and bytes. */
export async function* batchesOf(
  records: AsyncIterable<SourceRecord | BrokenRecord>,
  most: number,
): AsyncGenerator<SourceBatch> {
  let [batch, broken]: [KeyedRecord[], LoadProblem[]] = [[], []];
  let [rows, bytes] = [0, 0];
  for await (const record of records) {
    if ('reason' in record) broken.push(brokenProblem(record));
    else {
      const weight = weigh(record);
      batch.push({ ...record, hash: record.hash ?? weight.hash() });
      rows += weight.rows;
      bytes += weight.bytes;
    }
    if (batch.length + broken.length < most && rows < LIMITS.loadBatchRows && bytes < LIMITS.loadBatchBytes)
      continue;
    yield { records: batch, broken };
    [batch, broken] = [[], []];
    [rows, bytes] = [0, 0];
  }
  if (batch.length + broken.length > 0) yield { records: batch, broken };
}

function weigh({ values }: SourceRecord) {
  let [rows, bytes] = [1, 0];
  const add = (value: unknown) => {
    if (typeof value === 'string') bytes += value.length;
  };
  for (const value of Object.values(values)) {
    if (!Array.isArray(value)) add(value);
    else {
      rows += value.length;
      for (const row of value) if (row) Object.values(row).forEach(add);
    }
  }
  return { rows, bytes, hash: () => contentHash(JSON.stringify(values)) };
}

/** A digest of a record's content: 128 bits are enough to see a change. */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

function brokenProblem({ row, reason }: BrokenRecord): LoadProblem {
  return { kind: 'error', doctype: '', key: String(row), row, field: '', value: '', reason };
}
