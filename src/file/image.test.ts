import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { LIMITS } from '../kernel/limits.ts';
import { type ImageTool, loadImageTool, type Resizing } from './image.ts';

const BOX: Resizing = { width: 100, height: 100, fit: 'inside', quality: 85, format: 'same' };

async function tool(): Promise<ImageTool> {
  const found = await loadImageTool();
  assert.ok(found, 'the optional package sharp is installed for tests');
  return found;
}

function plain(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#c03020' } });
}

test('an image is reduced to the box, upright and without metadata, never enlarged', async () => {
  const images = await tool();
  const photo = await plain(400, 200)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExif({ IFD0: { Copyright: 'somebody' } })
    .toBuffer();
  assert.deepEqual(await images.measure(photo), { width: 200, height: 400, frames: 1 });
  const made = await images.resize(photo, BOX);
  assert.deepEqual([made.width, made.height, made.type], [50, 100, 'image/jpeg']);
  assert.ok(!made.content.includes('somebody'));
  const small = await images.resize(await plain(20, 10).png().toBuffer(), BOX);
  assert.deepEqual([small.width, small.height, small.type], [20, 10, 'image/png']);
});

test('every accepted format can be processed and converted', async () => {
  const images = await tool();
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    const content = await plain(300, 300).toFormat(format).toBuffer();
    assert.equal((await images.resize(content, BOX)).type, `image/${format}`);
    const webp = await images.resize(content, { ...BOX, height: 50, fit: 'cover', format: 'webp' });
    assert.deepEqual([webp.type, webp.width, webp.height], ['image/webp', 100, 50]);
  }
});

test('a damaged file or non-image is refused', async () => {
  const images = await tool();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>');
  const cut = (await plain(300, 300).png().toBuffer()).subarray(0, 200);
  const disguised = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), svg]);
  for (const content of [svg, cut, disguised, Buffer.alloc(0)]) {
    await assert.rejects(images.resize(content, BOX), { name: 'ValidationError' });
  }
});

test('an image with too many pixels is refused before decoding', async () => {
  const images = await tool();
  const side = Math.ceil(Math.sqrt(LIMITS.imagePixels)) + 1;
  await assert.rejects(images.resize(bomb(side), BOX), { name: 'ValidationError', message: /pixels/ });
  await assert.rejects(images.measure(bomb(side)), { name: 'ValidationError', message: /pixels/ });
  await assert.rejects(images.measure(bomb(2 ** 31 - 1)), { name: 'ValidationError' });
});

test('images beyond the queue are refused', async () => {
  const images = await tool();
  const content = await plain(200, 200).png().toBuffer();
  const most = LIMITS.imagesAtOnce + LIMITS.waitingImages;
  const results = await Promise.allSettled(
    Array.from({ length: most + 3 }, () => images.resize(content, BOX)),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 3);
  assert.equal((await images.resize(content, BOX)).width, 100);
});

/** A PNG that says to be `side` pixels wide and high and consists of a few bytes. */
function bomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
