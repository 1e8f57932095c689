import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartCount } from './part-count.ts';

const PART = 'Content-Disposition: form-data; name="a"\r\n\r\n';
const BODIES: readonly (readonly [string, number])[] = [
  ['', 0],
  ['--B--\r\n', 0],
  [`--B\r\n${PART}x\r\n--B--\r\n`, 1],
  [`preamble\r\n--B\r\n${PART}x\r\n--B\r\n\r\n\r\n--B--\r\nepilogue\r\n--B\r\n`, 2],
  [`--B\r\n${PART}x--B\n--B \r\n-B\r\n--A\r\n--B--`, 1],
];

test('parts are counted however the body is divided', () => {
  for (const [body, parts] of BODIES) {
    for (const type of ['multipart/form-data; boundary=B', 'multipart/form-data; charset=x; BOUNDARY="B"']) {
      for (let length = 1; length <= body.length + 1; length += 1) {
        const count = new PartCount(type);
        for (let at = 0; at < body.length; at += length) count.add(Buffer.from(body.slice(at, at + length)));
        assert.equal(count.parts, parts, `${JSON.stringify(body)} by ${length}`);
      }
    }
  }
});

test('without a boundary nothing is counted', () => {
  const count = new PartCount('multipart/form-data');
  count.add(Buffer.from(`--B\r\n${PART}x\r\n--B--\r\n`));
  assert.equal(count.parts, 0);
});
