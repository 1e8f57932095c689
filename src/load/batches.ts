import { hash } from 'node:crypto';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
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
  let filling = new Filling(most);
  for await (const record of records) {
    if ('reason' in record) broken.push(brokenProblem(record));
    else batch.push({ ...record, hash: record.hash ?? contentHash(JSON.stringify(record.values)) });
    if (!filling.add('reason' in record ? {} : record.values)) continue;
    yield { records: batch, broken };
    [batch, broken] = [[], []];
    filling = new Filling(most);
  }
  if (batch.length + broken.length > 0) yield { records: batch, broken };
}

/** Groups records at hand in the same way. */
export function* groupsOf(records: Iterable<SourceRecord>, most: number): Generator<readonly SourceRecord[]> {
  let group: SourceRecord[] = [];
  let filling = new Filling(most);
  for (const record of records) {
    group.push(record);
    if (!filling.add(record.values)) continue;
    yield group;
    group = [];
    filling = new Filling(most);
  }
  if (group.length > 0) yield group;
}

/** How full a batch is. */
class Filling {
  readonly #most: number;
  #records = 0;
  #rows = 0;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a record. Returns true when the batch is full. */
  add(values: Fields): boolean {
    this.#records += 1;
    this.#rows += 1;
    for (const value of Object.values(values)) {
      if (!Array.isArray(value)) this.#addText(value);
      else {
        this.#rows += value.length;
        for (const row of value) if (row) for (const cell of Object.values(row)) this.#addText(cell);
      }
    }
    return (
      this.#records >= this.#most ||
      this.#rows >= LIMITS.loadBatchRows ||
      this.#bytes >= LIMITS.loadBatchBytes
    );
  }

  #addText(value: unknown): void {
    if (typeof value === 'string') this.#bytes += value.length;
  }
}

/** A digest of a record's content: 128 bits are enough to see a change. */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

function brokenProblem({ row, reason }: BrokenRecord): LoadProblem {
  return { kind: 'error', doctype: '', key: String(row), row, field: '', value: '', reason };
}
