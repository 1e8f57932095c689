import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { meter } from './meter.ts';

function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe('pieces on their way into a storage', () => {
  for (const sizes of [[1], [3, 5_000], [16_000, 1], [1, 16_384], [70_000, 2]]) {
    test(`become few, and no byte is lost, from pieces of ${sizes.join(' and ')}`, async () => {
      const bytes = randomBytes(100_001);
      const measuring = meter({ maxBytes: bytes.length });
      const written: Buffer[] = [];
      for await (const piece of measuring.measure(Readable.from(cut(bytes, sizes)))) {
        written.push(piece);
        assert.ok(written.length < 30, 'each piece costs a write');
      }
      assert.deepEqual(Buffer.concat(written), bytes);
      const { sha256, bytes: count, head } = measuring.result();
      assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
      assert.equal(count, bytes.length);
      assert.deepEqual(Buffer.from(head), bytes.subarray(0, head.length));
    });
  }

  test('are refused at the first byte above the limit', async () => {
    let sent = 0;
    function* endless() {
      for (;;) {
        sent += 1;
        yield Buffer.alloc(1);
      }
    }
    const measured = meter({ maxBytes: 100 }).measure(Readable.from(endless(), { highWaterMark: 1 }));
    await assert.rejects(async () => {
      for await (const piece of measured) assert.fail(`${piece.length} bytes passed`);
    }, /maximum allowed size/);
    assert.ok(sent < 110);
  });
});
