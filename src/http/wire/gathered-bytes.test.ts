import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatheredBytes } from './gathered-bytes.ts';

test('bytes in any chunks come back in order, and in no more memory than the body may take', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, fc.nat(9), (all, more) => {
      const expected = Buffer.concat(all);
      const most = expected.length + more;
      const gathered = new GatheredBytes(most);
      for (const piece of all) gathered.add(Buffer.from(new Uint8Array(piece).buffer));
      assert.equal(gathered.length, expected.length);
      assert.deepEqual(gathered.whole(), expected);
      assert.ok(gathered.whole().buffer.byteLength <= Math.max(most, gathered.length));
    }),
  );
});

test('no chunk of a body in many chunks keeps its memory', () => {
  const chunks = Array.from({ length: 10_000 }, (_, index) => Buffer.alloc(1, index % 256));
  const expected = Buffer.concat(chunks);
  const gathered = new GatheredBytes(1_000_000);
  for (const chunk of chunks) gathered.add(chunk);
  assert.deepEqual(gathered.whole(), expected);
  assert.ok(chunks.every(({ length }) => length === 0));
  assert.ok(gathered.whole().buffer.byteLength <= 2 * expected.length);
});
