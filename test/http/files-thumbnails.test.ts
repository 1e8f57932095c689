/** Smaller images at the addresses of images: for the same people, in a bounded number of sizes, made once. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import { assertEnvelope } from '../support/wire.ts';

function image(width: number, height: number): Promise<Buffer<ArrayBuffer>> {
  const background = { r: 200, g: (width * 7) % 256, b: (height * 3) % 256 };
  const made = sharp({ create: { width, height, channels: 3, background } }).png();
  return made.toBuffer().then((bytes) => Buffer.from(bytes));
}

/** A PNG whose header claims to be so many pixels wide and high. */
function claiming(png: Buffer, side: number): Buffer<ArrayBuffer> {
  const bomb = Buffer.from(png);
  bomb.writeUInt32BE(side, 16);
  bomb.writeUInt32BE(side, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  return bomb;
}

describeEither('thumbnails', fileSite(), (files) => {
  async function sizeOf(path: string, as: string | null = null): Promise<(number | string | undefined)[]> {
    const response = await fetch(files.url + path, as ? { headers: { authorization: files.keyOf(as) } } : {});
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'image/webp');
    const { width, height, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    return [format, width, height];
  }
  const kept = (): Promise<string[]> =>
    readdir(join(files.site.config.data, 'thumbnails')).then(
      (names) => names.sort(),
      (): string[] => [],
    );

  test('w, h and fit choose among few sizes', async () => {
    const { file_url: url } = await files.stored('wide.png', await image(1200, 600));
    assert.deepEqual(await sizeOf(`${url}?w=100`), ['webp', 128, 64]);
    assert.deepEqual(await sizeOf(`${url}?h=64`), ['webp', 128, 64]);
    assert.deepEqual(await sizeOf(`${url}?w=200&h=200`), ['webp', 256, 128]);
    assert.deepEqual(await sizeOf(`${url}?w=200&h=200&fit=cover`), ['webp', 256, 256]);
    // Never larger than the image.
    assert.deepEqual(await sizeOf(`${url}?w=999999999`), ['webp', 1200, 600]);
    const before = await kept();
    for (const w of [65, 99, 100, 128]) assert.deepEqual(await sizeOf(`${url}?w=${w}`), ['webp', 128, 64]);
    assert.deepEqual(await kept(), before);
    for (const bad of ['w=0', 'w=-1', 'w=1.5', 'w=x', 'h=1e3', 'w=64&fit=fill', 'w=9999999999']) {
      assertEnvelope(await files.get(`${url}?${bad}`), 'ValidationError');
    }
    const whole = await files.get(`${url}?w=&h=`);
    assert.equal(whole.headers.get('content-type'), 'image/png');
  });

  test('headers are those of a file, with an entity tag of its own', async () => {
    const { file_url: url } = await files.stored('tag.png', await image(300, 300));
    const reply = await files.get(`${url}?w=64`);
    const etag = reply.headers.get('etag') ?? '';
    assert.equal(reply.headers.get('content-disposition'), 'inline; filename="tag.webp"');
    assert.equal(reply.headers.get('content-security-policy'), "sandbox; default-src 'none'");
    assert.notEqual(etag, (await files.get(url)).headers.get('etag'));
    assert.notEqual(etag, (await files.get(`${url}?w=32`)).headers.get('etag'));
    const unchanged = await files.get(`${url}?w=64`, null, { 'if-none-match': etag });
    assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    const head = await files.request('HEAD', `${url}?w=64`, { as: null });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-length'), reply.headers.get('content-length'));
  });

  test('one of a private image is for whoever may read the image', async () => {
    const note = await files.create('Note', {}, 'writer');
    const on = { doctype: 'Note', docname: note, is_private: '1' };
    const doc = await files.stored('own.png', await image(301, 301), on, 'writer');
    const path = `${doc.file_url}?w=64`;
    assert.deepEqual(await sizeOf(path, 'reader'), ['webp', 64, 64]);
    for (const as of [null, 'outsider']) {
      const refused = await files.get(path, as);
      assertEnvelope(refused, 'PermissionError');
      assert.equal(refused.text, (await files.get('/private/files/unknown.png?w=64', as)).text);
    }
    await files.request('DELETE', file(doc.name));
    assertEnvelope(await files.get(path, 'reader'), 'PermissionError');
    // A later file at this address has thumbnails of its own.
    const again = await files.stored('own.png', await image(301, 602), on, 'writer');
    assert.equal(again.file_url, doc.file_url);
    assert.deepEqual(await sizeOf(path, 'reader'), ['webp', 64, 128]);
  });

  test('thumbnail_url follows the file, and is the server’s to say', async () => {
    const doc = await files.stored('said.png', await image(302, 302), {}, 'writer');
    assert.equal(doc.thumbnail_url, `${doc.file_url}?w=256&h=256`);
    assert.deepEqual(await sizeOf(doc.thumbnail_url), ['webp', 256, 256]);
    const body = { is_private: 1, thumbnail_url: 'https://elsewhere.example/x.png' };
    const changed = await files.request('PUT', file(doc.name), { body, as: 'writer' });
    const { file_url, thumbnail_url } = changed.body.data;
    assert.match(file_url, /^\/private\//);
    assert.equal(thumbnail_url, `${file_url}?w=256&h=256`);
    assert.ok(!(await files.stored('said.txt', 'x')).thumbnail_url);
  });

  test('what is no image, or a broken or hostile one, has none; once known it is not tried again', async () => {
    const png = await image(303, 303);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    for (const [name, content] of [
      ['a.txt', 'text'],
      ['a.svg', svg],
      ['a.png', svg],
      ['cut.png', png.subarray(0, 60)],
      ['bomb.png', claiming(png, 20_000)],
    ] as const) {
      const { file_url: url } = await files.stored(name, content);
      const first = await files.get(`${url}?w=64`);
      assertEnvelope(first, 'ValidationError');
      assert.equal((await files.get(`${url}?w=64`)).text, first.text, name);
      assert.equal((await files.get(url)).status, 200);
    }
  });

  test('asked for by many at once it is made once, and kept from others of the system', async () => {
    const { file_url: url } = await files.stored('many.png', await image(304, 304));
    const before = await kept();
    const replies = await Promise.all(Array.from({ length: 20 }, () => files.get(`${url}?w=64`)));
    for (const { status, text } of replies) assert.deepEqual([status, text], [200, replies[0]?.text]);
    const made = (await kept()).filter((name) => !before.includes(name));
    assert.equal(made.length, 1);
    const root = join(files.site.config.data, 'thumbnails');
    if (process.platform !== 'win32') assert.equal((await stat(root)).mode & 0o077, 0);
  });
});
