import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { LIMITS } from '../kernel/limits.ts';
import { withoutMetadata } from './strip-metadata.ts';

const PLACE = 'GPS of somebody';
const PIXELS = Buffer.from('pixels');

function strip(content: Buffer, size: number, dropped: (bytes: number) => void = () => undefined) {
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += size) chunks.push(content.subarray(at, at + size));
  return buffer(withoutMetadata(Readable.from(chunks), dropped));
}

function segment(code: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, code, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** A photo with all that phones write, on its side; noisy, so that its data hold every byte. */
async function photo(progressive: boolean): Promise<Buffer> {
  const raw = { width: 64, height: 48, channels: 3 } as const;
  return sharp(randomBytes(64 * 48 * 3), { raw })
    .withExif({ IFD0: { Copyright: PLACE }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 0/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .withIccProfile('p3')
    .jpeg({ progressive, quality: 95 })
    .toBuffer();
}

describe('metadata of photos', () => {
  for (const progressive of [false, true]) {
    test(`is removed; pixels, colours and orientation stay (progressive: ${progressive})`, async () => {
      const plain = await photo(progressive);
      const comment = segment(0xfe, Buffer.from(PLACE));
      const photoshop = segment(0xed, Buffer.from(`Photoshop 3.0\0${PLACE}`));
      const content = Buffer.concat([
        plain.subarray(0, 2),
        photoshop,
        comment,
        plain.subarray(2),
        Buffer.from(PLACE),
        plain,
      ]);
      for (const size of [1, 2, 3, 7, 64, 65_536, content.length]) {
        const clean = await strip(content, size);
        assert.ok(!clean.includes(PLACE) && !clean.includes('Photoshop'), `chunks of ${size}`);
        const { orientation, icc, exif } = await sharp(clean).metadata();
        assert.equal(orientation, 6);
        assert.ok(icc && icc.length > 100);
        assert.ok(exif && exif.length < 40);
        assert.deepEqual(await sharp(clean).raw().toBuffer(), await sharp(plain).raw().toBuffer());
        assert.deepEqual(await strip(clean, size), clean, 'once more changes nothing');
      }
    });
  }

  test('is absent from a photo, and every byte stays', async () => {
    const content = await sharp(await photo(false))
      .jpeg()
      .toBuffer();
    for (const size of [1, 5, 65_536]) assert.deepEqual(await strip(content, size), content);
  });

  test('a broken JPEG or another file passes unchanged', async () => {
    const start = Buffer.from([0xff, 0xd8, 0xff]);
    const tails = [
      '',
      'rest',
      '\xe1',
      '\xe1\0',
      '\xe1\0\0',
      '\xe1\xff\xffshort',
      '\xff\xff',
      '\xda\0\x02ab\xff',
    ];
    const broken = tails.map((tail) => Buffer.concat([start, Buffer.from(tail, 'latin1')]));
    for (const content of [Buffer.alloc(0), Buffer.from([0xff]), randomBytes(5_000), ...broken]) {
      for (const size of [1, 2, 1000]) assert.deepEqual(await strip(content, size), content);
    }
  });

  test('a run of fill bytes passes in pieces as large as they came', async () => {
    const photo = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      Buffer.alloc(1_000_000, 0xff),
      segment(0xdb, PIXELS),
    ]);
    const chunks: Buffer[] = [];
    for (let at = 0; at < photo.length; at += 65_536) chunks.push(photo.subarray(at, at + 65_536));
    const passed: Buffer[] = [];
    for await (const piece of withoutMetadata(Readable.from(chunks), () => undefined)) {
      passed.push(piece);
      assert.ok(passed.length < 100, 'one byte at a time, a large file takes minutes');
    }
    assert.deepEqual(Buffer.concat(passed), photo);
  });

  test('is removed from no more segments than a photo has', async () => {
    const comment = segment(0xfe, Buffer.alloc(0));
    const comments = Array.from({ length: LIMITS.photoSegments + 3 }, () => comment);
    const content = Buffer.concat([Buffer.from([0xff, 0xd8]), ...comments]);
    assert.equal((await strip(content, 65_536)).length, 2 + 3 * comment.length);
  });

  test('any input ends, and removed bytes are counted', async () => {
    for (let round = 0; round < 300; round += 1) {
      const noise = randomBytes(200).map((byte) => (byte < 80 ? 0xff : byte));
      const content = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), noise]);
      let left = 0;
      const clean = await strip(content, 1 + (round % 9), (bytes) => {
        left += bytes;
      });
      assert.ok(clean.length <= content.length && clean.length + left <= content.length);
    }
  });

  test('the counter may abort, and a failure of the source is passed on', async () => {
    const endless = Readable.from(
      (function* () {
        yield Buffer.from([0xff, 0xd8]);
        for (;;) yield segment(0xfe, Buffer.alloc(0));
      })(),
    );
    let left = 0;
    const counted = withoutMetadata(endless, (bytes) => {
      left += bytes;
      if (left > 10_000) throw new Error('too much');
    });
    await assert.rejects(buffer(counted), /too much/);
    assert.ok(endless.destroyed);
    const failing = new Readable({ read() {} });
    failing.push(Buffer.from([0xff, 0xd8, 0xff, 0xda]));
    const reading = buffer(withoutMetadata(failing, () => undefined));
    failing.destroy(new Error('broken off'));
    await assert.rejects(reading, /broken off/);
  });
});
