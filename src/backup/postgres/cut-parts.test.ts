import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cutRows } from './cut-parts.ts';

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function cut(content: Buffer, size = 65_536): Promise<{ parts: Buffer[]; rows: number }> {
  const cutting = cutRows(pieces(content, size));
  const parts: Buffer[] = [];
  for await (const part of cutting) parts.push(part);
  return { parts, rows: cutting.rows };
}

const ids = (parts: readonly Buffer[]) =>
  new Set(parts.map((part) => createHash('sha256').update(part).digest('hex')));

const row = (index: number, text = 'x'.repeat(index % 500)) =>
  `TICK-${String(index).padStart(5, '0')}\t${text}\n`;
const table = (count: number, change: (index: number) => string = row) =>
  Buffer.from(Array.from({ length: count }, (_, index) => change(index)).join(''));

test('parts together are the content, whatever pieces it comes in', async () => {
  const content = table(20_000);
  const { parts, rows } = await cut(content);
  assert.equal(rows, 20_000);
  assert.ok(Buffer.concat(parts).equals(content));
  assert.deepEqual(ids((await cut(content, 1_000)).parts), ids(parts));
  for (const part of parts.slice(0, -1)) {
    assert.ok(part.length >= 256 * 1024 && part.length <= 4 * 1024 * 1024, `${part.length} bytes`);
    assert.equal(part.at(-1), 10);
  }
});

test('a changed, an added and a deleted row change the parts beside them only', async () => {
  const count = 60_000;
  const { parts } = await cut(table(count));
  assert.ok(parts.length > 8, `${parts.length} parts`);
  const changes: Readonly<Record<string, (index: number) => string>> = {
    changed: (index) => row(index, index === 30_000 ? 'another text' : undefined),
    deleted: (index) => (index === 30_000 ? '' : row(index)),
    added: (index) => row(index) + (index === 30_000 ? 'TICK-30000-1\tmore\n' : ''),
  };
  for (const [name, change] of Object.entries(changes)) {
    const after = ids((await cut(table(count, change))).parts);
    const fresh = after.difference(ids(parts)).size;
    assert.ok(fresh >= 1 && fresh <= 3, `${name}: ${fresh} new parts of ${after.size}`);
  }
});

test('a row that is longer than a part is cut', async () => {
  const content = Buffer.concat([
    Buffer.from('a\tb\n'),
    Buffer.alloc(9_000_000, 'z'),
    Buffer.from('\nb\tc\n'),
  ]);
  const { parts, rows } = await cut(content);
  assert.equal(rows, 3);
  assert.deepEqual(
    parts.slice(0, 2).map(({ length }) => length),
    [4_194_304, 4_194_304],
  );
  assert.ok(Buffer.concat(parts).equals(content));
});

test('nothing has no parts', async () => {
  assert.deepEqual(await cut(Buffer.alloc(0)), { parts: [], rows: 0 });
});
