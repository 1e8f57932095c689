import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSegment, encodeSegment, type SegmentHead } from './segment.ts';

const HEAD: SegmentHead = {
  format: 1,
  moment: 1_795_000_000_000,
  pages: 7,
  pageSize: 512,
  piece: 0,
  pieces: 1,
  end: { salts: '0011223344556677', frame: 3, checksum: '8899aabbccddeeff' },
  file: null,
};
const PAGES = { numbers: [2, 5], images: Buffer.alloc(1024, 'x') };

test('a segment is read as it was written', () => {
  for (const [head, pages] of [
    [HEAD, PAGES],
    [
      { ...HEAD, file: { row: 4, key: 'ab/cd' } },
      { numbers: [], images: Buffer.alloc(0) },
    ],
  ] as const) {
    assert.deepEqual(decodeSegment(encodeSegment(head, pages), 'log/1'), { head, pages });
  }
});

test('a segment that is cut, of another format or with a page 0 is refused by name', () => {
  const whole = encodeSegment(HEAD, PAGES);
  const broken = [
    Buffer.alloc(0),
    whole.subarray(0, 3),
    whole.subarray(0, 40),
    whole.subarray(0, -1),
    encodeSegment({ ...HEAD, format: 2 as 1 }, PAGES),
    encodeSegment({ ...HEAD, piece: 1 }, PAGES),
    encodeSegment(HEAD, { ...PAGES, numbers: [0, 5] }),
  ];
  for (const bytes of broken)
    assert.throws(() => decodeSegment(bytes, 'log/1'), /damaged: object log\/1: it/);
});
