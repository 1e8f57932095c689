/** What takes more than one object, or reads one in pieces, with a bucket instead of a disk. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import { type FileSite, MAX_BYTES, startFileSite } from '../support/files.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { pack } from '../support/zip.ts';

const HALF = MAX_BYTES / 2;

describe('uploads in parts, and zips, on S3', { skip: NO_S3 }, () => {
  let server: S3Server;
  let files: FileSite;
  before(async () => {
    server = await startS3();
    files = await startFileSite('sqlite', { files: await newBucket(server) });
  });
  after(async () => {
    await files?.stop();
    await server?.stop();
  });

  async function bytesAt(url: string): Promise<Buffer> {
    const headers = { authorization: `token ${files.adminKey}` };
    const response = await fetch(files.url + url, { headers });
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  }
  /** What the bucket has is what Files have, once what is deleted after a reply is gone. */
  async function consistent(objects: number): Promise<void> {
    await until(async () => (await files.keys()) === objects);
    await files.assertSound();
  }

  test('an upload by tus goes on, is one object in the end, and leaves nothing when it is ended', async () => {
    const objects = await files.keys();
    const tus = (method: string, path: string, headers: Record<string, string>, body?: Uint8Array) =>
      files.request(method, path, {
        headers: {
          'tus-resumable': '1.0.0',
          ...(body ? { 'content-type': 'application/offset+octet-stream' } : {}),
          ...headers,
        },
        body,
      });
    const begin = async () => {
      const name = Buffer.from('a.bin').toString('base64');
      const asked = { 'upload-length': String(MAX_BYTES), 'upload-metadata': `filename ${name}` };
      return (await tus('POST', '/api/files/tus', asked)).headers.get('location') ?? '';
    };
    const bytes = randomBytes(MAX_BYTES);
    const path = await begin();
    assert.equal((await tus('PATCH', path, { 'upload-offset': '0' }, bytes.subarray(0, HALF))).status, 204);
    assert.equal((await tus('HEAD', path, {})).headers.get('upload-offset'), String(HALF));
    const end = await tus('PATCH', path, { 'upload-offset': String(HALF) }, bytes.subarray(HALF));
    const name = end.headers.get('upload-document');
    const { body } = await files.request('GET', `/api/resource/File/${name}`);
    assert.deepEqual(await bytesAt(body.data.file_url), bytes);
    await consistent(objects + 1);

    const ended = await begin();
    await tus('PATCH', ended, { 'upload-offset': '0' }, bytes.subarray(0, HALF));
    await consistent(objects + 2);
    assert.equal((await tus('DELETE', ended, {})).status, 204);
    await consistent(objects + 1);
  });

  test('chunks of upload_file become one file', async () => {
    const objects = await files.keys();
    const bytes = randomBytes(MAX_BYTES);
    const chunk = (index: number) =>
      files.upload('b.bin', bytes.subarray(index * HALF, (index + 1) * HALF), {
        upload_id: 'an-upload-to-s3',
        chunk_index: String(index),
        total_chunk_count: '2',
        chunk_byte_offset: String(index * HALF),
        total_file_size: String(MAX_BYTES),
      });
    assert.equal((await chunk(0)).text, '{}');
    const last = await chunk(1);
    assert.equal(last.status, 200, last.text);
    assert.deepEqual(await bytesAt(last.body.message.file_url), bytes);
    await consistent(objects + 1);
  });

  test('files leave as a zip, and a zip becomes files where it lies', async () => {
    const objects = await files.keys();
    const large = randomBytes(HALF)
      .toString('hex')
      .slice(0, MAX_BYTES - 1000);
    const texts: Readonly<Record<string, string>> = { 'large.txt': large, 'small.txt': 'small' };
    const packed = await pack(Object.entries(texts).map(([path, text]) => ({ path, text })));
    const zip = await files.stored('some.zip', packed, { is_private: '1' });
    const path = '/api/method/frappe.core.api.file';
    const made = await files.ok('POST', `${path}.unzip_file`, { body: { name: zip.name } });
    const names: string[] = [];
    for (const { name, file_name, file_url } of made) {
      names.push(name);
      assert.equal((await bytesAt(file_url)).toString(), texts[file_name]);
    }
    await consistent(objects + 2);

    const again = await bytesAt(`${path}.zip_files?files=${encodeURIComponent(JSON.stringify(names))}`);
    const found: Record<string, string> = {};
    const archive = await fromBufferPromise(again, { lazyEntries: true });
    for await (const entry of archive.eachEntry()) {
      const pieces: Buffer[] = [];
      for await (const piece of await archive.openReadStreamPromise(entry)) pieces.push(piece);
      found[entry.fileName] = Buffer.concat(pieces).toString();
    }
    assert.deepEqual(found, texts);
  });
});
