/** What else an upload may say and be: JSON, images to make smaller, photos, a method to hand it to. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { defineApp, defineMethod, type UploadedFile } from '../../src/index.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const SITE = 'https://files.example.com';

/** Counts what it is given, keeps it when asked, and notes every upload. */
const app = defineApp({
  name: 'uploads',
  controllers: {
    File: {
      afterFileUpload(doc) {
        if (doc.file_name === 'unwanted.txt') throw new Error('no');
        noted.push(String(doc.file_name));
      },
    },
  },
  methods: {
    'uploads.count': defineMethod({
      args: 'any',
      async run(ctx, args) {
        const sent = (args as { uploaded_file?: UploadedFile }).uploaded_file;
        if (!sent) return 'no file';
        const body = await sent.open();
        let bytes = 0;
        if (Buffer.isBuffer(body)) bytes = body.length;
        else for await (const chunk of body) bytes += chunk.length;
        assert.equal(bytes, sent.bytes);
        return { bytes, name: sent.fileName, file: args['keep'] ? await sent.createFile(ctx) : null };
      },
    }),
  },
});
const noted: string[] = [];

describeEither('forms of uploads', { apps: [app], config: { siteUrl: SITE } }, (site) => {
  function upload(
    name: string,
    content: Uint8Array,
    fields: Record<string, string> = {},
  ): Promise<TestReply> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(content)]), name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    return site.request('POST', '/api/method/upload_file', { body: form });
  }

  async function bytesOf(url: string): Promise<Buffer> {
    return Buffer.from(await (await fetch(site.url + url)).arrayBuffer());
  }

  async function stored(): Promise<number> {
    let count = 0;
    for await (const _ of site.site.storage.list()) count += 1;
    return count;
  }

  function noise(width: number, height: number): Sharp {
    return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  }

  test('content in JSON, as text and in base64, also as a data URL', async () => {
    const send = (body: object) => site.request('POST', '/api/method/upload_file', { body });
    const text = await send({ file_name: 'text.txt', content: 'grüezi', is_private: 0 });
    assert.equal((await bytesOf(text.body.message.file_url)).toString(), 'grüezi');
    const base64 = randomBytes(50).toString('base64');
    for (const content of [base64, `data:image/png;base64,${base64}`]) {
      const { body } = await send({ file_name: 'data.bin', content, decode: 1 });
      assert.equal((await bytesOf(body.message.file_url)).toString('base64'), base64);
    }
    const bad = await send({ file_name: 'bad.bin', content: '%%%', decode: true });
    assertEnvelope(bad, 'ValidationError');
    assertEnvelope(await send({ content: 'nameless' }), 'ValidationError');
  });

  test('uploadfile takes filename and filedata', async () => {
    const filedata = Buffer.from('grüezi').toString('base64');
    const fields = { from_form: 1, filename: 'old.txt', filedata, is_private: 1 };
    const form = new URLSearchParams(Object.entries(fields).map(([key, value]) => [key, String(value)]));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const sent of [{ body: fields }, { body: form.toString(), headers }]) {
      const reply = await site.request('POST', '/api/method/uploadfile', sent);
      assert.equal(reply.status, 200, reply.text);
      const file = { file_name: 'old.txt', is_private: 1, file_size: Buffer.byteLength('grüezi') };
      assert.partialDeepStrictEqual(reply.body.message, file);
    }
    assertEnvelope(
      await site.request('POST', '/api/method/uploadfile', { body: { ...fields, filedata: '%%%' } }),
      'ValidationError',
    );
  });

  test('images become smaller on request, and only then', async () => {
    const content = await noise(600, 400).jpeg({ quality: 100 }).toBuffer();
    const plain = (await upload('plain.jpg', content)).body.message;
    assert.deepEqual(await bytesOf(plain.file_url), content);
    const before = await stored();
    const small = (await upload('small.jpg', content, { optimize: '1' })).body.message;
    assert.ok(small.file_size < content.length);
    const size = async (url: string) => {
      const { width, height } = await sharp(await bytesOf(url)).metadata();
      return [width, height];
    };
    assert.deepEqual(await size(small.file_url), [480, 320]);
    const asked = { optimize: 'true', max_width: '300', max_height: '300' };
    assert.deepEqual(
      await size((await upload('asked.jpg', content, asked)).body.message.file_url),
      [300, 200],
    );
    assert.equal(await stored(), before + 2, 'what they were made of is gone');
    const wrong = { optimize: '1', max_width: '-3' };
    assertEnvelope(await upload('wrong.jpg', content, wrong), 'ValidationError');
    assert.equal(await stored(), before + 2);
  });

  test('what cannot become smaller stays, and what went wrong is said', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const same = await upload('a.svg', svg, { optimize: '1' });
    assert.equal(same.body._server_messages, undefined);
    assert.deepEqual(await bytesOf(same.body.message.file_url), svg);
    const broken = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(100)]);
    const kept = await upload('broken.png', broken, { optimize: '1' });
    assert.deepEqual(await bytesOf(kept.body.message.file_url), broken);
    const [notice] = JSON.parse(kept.body._server_messages).map((text: string) => JSON.parse(text));
    assert.match(notice.message, /not optimized/);
  });

  test('photos lose where they were made, unless the site keeps it', async () => {
    const photo = await noise(64, 64)
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer();
    const clean = (await upload('photo.jpg', photo)).body.message;
    assert.ok(!(await bytesOf(clean.file_url)).includes('somebody'));
    const body = { file_name: 'rest.jpg', content: photo.toString('base64'), decode: 1 };
    const rest = await site.make('File', body);
    assert.equal(rest.content_hash, clean.content_hash);
    const settings = '/api/resource/System%20Settings/System%20Settings';
    const save = (value: string) =>
      site.request('PUT', settings, { body: { strip_exif_metadata_from_uploaded_images: value } });
    assert.equal((await save('No')).status, 200);
    assert.deepEqual(await bytesOf((await upload('kept.jpg', photo)).body.message.file_url), photo);
    assert.equal((await save('')).status, 200);
  });

  test('a method may take the upload, and keep it or not', async () => {
    const before = await stored();
    const counted = await upload('a.bin', randomBytes(300_000), { method: 'uploads.count' });
    assert.deepEqual(counted.body.message, { bytes: 300_000, name: 'a.bin', file: null });
    assert.equal(await stored(), before);
    const kept = await upload('b.bin', randomBytes(10), {
      method: 'uploads.count',
      keep: '1',
      is_private: '1',
    });
    assert.equal(kept.body.message.file.is_private, 1);
    assert.equal(await stored(), before + 1);
    assertEnvelope(await upload('c.bin', randomBytes(10), { method: 'uploads.none' }), 'DoesNotExistError');
    const body = { method: 'uploads.count' };
    const none = await site.request('POST', '/api/method/upload_file', { body });
    assert.equal(none.body.message, 'no file');
    assert.equal(await stored(), before + 1);
  });

  test('apps hear of uploads, and may refuse them', async () => {
    noted.length = 0;
    await upload('heard.txt', randomBytes(3));
    assert.deepEqual(noted, ['heard.txt']);
    const before = await stored();
    assert.equal((await upload('unwanted.txt', randomBytes(5))).status, 500);
    const filters = encodeURIComponent('[["file_name","=","unwanted.txt"]]');
    assert.deepEqual(await site.ok('GET', `/api/resource/File?filters=${filters}`), []);
    assert.ok((await stored()) <= before + 1);
  });

  test("an address of the site's own means the stored file", async () => {
    const { file_url: url, content_hash: hash } = (await upload('own.txt', randomBytes(9))).body.message;
    const body = { file_url: SITE + url };
    const again = (await site.request('POST', '/api/method/upload_file', { body })).body.message;
    assert.equal(again.file_url, url);
    assert.equal(again.content_hash, hash);
    const remote = { file_url: `${SITE}.elsewhere.com${url}` };
    const link = (await site.request('POST', '/api/method/upload_file', { body: remote })).body.message;
    assert.equal(link.file_url, remote.file_url);
  });
});
