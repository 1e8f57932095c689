/** Resumable uploads by the tus protocol, over real HTTP on both engines. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { fetch as send } from 'undici';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, MAX_BYTES } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const TUS = '/api/files/tus';
const BYTES = 'application/offset+octet-stream';

/** `Upload-Metadata` of these values. */
function metadata(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

const sha1 = (bytes: Uint8Array) => `sha1 ${createHash('sha1').update(bytes).digest('base64')}`;

describeEither('resumable uploads', fileSite(), (files) => {
  type Headers = Readonly<Record<string, string>>;
  function tus(method: string, path: string, headers: Headers = {}, body?: Uint8Array, as?: string | null) {
    return files.request(method, path, {
      headers: { 'tus-resumable': '1.0.0', ...(body ? { 'content-type': BYTES } : {}), ...headers },
      body,
      as,
    });
  }
  function begin(bytes: number, values: Readonly<Record<string, string>> = {}, as?: string | null) {
    const headers = {
      'upload-length': String(bytes),
      'upload-metadata': metadata({ filename: 'a.bin', ...values }),
    };
    return tus('POST', TUS, headers, undefined, as);
  }
  async function begun(bytes: number, values: Readonly<Record<string, string>> = {}, as?: string) {
    const reply = await begin(bytes, values, as);
    assert.equal(reply.status, 201, reply.text);
    return reply.headers.get('location') ?? '';
  }
  const patch = (path: string, offset: number, bytes: Uint8Array, more: Headers = {}, as?: string) =>
    tus('PATCH', path, { 'upload-offset': String(offset), ...more }, bytes, as);
  const offsetOf = async (path: string, as?: string) =>
    Number((await tus('HEAD', path, {}, undefined, as)).headers.get('upload-offset'));
  async function documentOf(reply: TestReply) {
    const name = reply.headers.get('upload-document');
    assert.ok(name, reply.text);
    return await files.ok('GET', file(name));
  }
  async function bytesAt(url: string) {
    const response = await fetch(files.url + url, { headers: { authorization: `token ${files.adminKey}` } });
    return Buffer.from(await response.arrayBuffer());
  }

  test('an upload in parts becomes a File attached to its document, with the bytes in order', async () => {
    const before = await files.keys();
    const note = await files.create('Note', {});
    const bytes = randomBytes(1_000);
    const path = await begun(1_000, {
      filename: 'Größe 1.bin',
      doctype: 'Note',
      docname: note,
      is_private: '1',
    });
    assert.match(path, /^\/api\/files\/tus\/[\w-]{24}$/);
    for (const [start, end] of [
      [0, 10],
      [10, 999],
    ] as const) {
      const reply = await patch(path, start, bytes.subarray(start, end));
      assert.equal(reply.status, 204, reply.text);
      assert.equal(reply.headers.get('upload-offset'), String(end));
      assert.ok(Date.parse(reply.headers.get('upload-expires') ?? '') > Date.now());
      assert.equal(reply.headers.get('upload-document'), null);
      assert.equal(await offsetOf(path), end);
    }
    const last = await patch(path, 999, bytes.subarray(999));
    assert.equal(last.status, 204);
    const doc = await documentOf(last);
    assert.equal(doc.file_name, 'Größe 1.bin');
    assert.equal(doc.attached_to_name, note);
    assert.equal(doc.is_private, 1);
    assert.equal(doc.file_size, 1_000);
    assert.deepEqual(await bytesAt(doc.file_url), bytes);
    await until(async () => (await files.keys()) === before + 1);

    const head = await tus('HEAD', path);
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('upload-offset'), '1000');
    assert.equal(head.headers.get('upload-length'), '1000');
    assert.equal(head.headers.get('upload-document'), doc.name);
    assert.equal(head.headers.get('cache-control'), 'no-store');
    const uploads = await files.request('GET', '/api/method/chancery.file.uploads');
    const told = uploads.body.message.find(({ upload }: { upload: string }) => path.endsWith(upload));
    assert.equal(told.file, doc.name);
    assert.equal(told.received, 1_000);

    assert.equal((await tus('DELETE', path)).status, 204);
    assertEnvelope(await patch(path, 0, bytes), 'DoesNotExistError');
    await files.ok('GET', file(doc.name));
  });

  test('bytes may come with the creation, all of them or some, or be none', async () => {
    const bytes = randomBytes(50);
    const headers = { 'upload-length': '50', 'upload-metadata': metadata({ filename: 'b.bin' }) };
    const whole = await tus('POST', TUS, headers, bytes);
    assert.equal(whole.status, 201, whole.text);
    assert.equal(whole.headers.get('upload-offset'), '50');
    assert.deepEqual(await bytesAt((await documentOf(whole)).file_url), bytes);
    const some = await tus('POST', TUS, headers, bytes.subarray(0, 20));
    assert.equal(some.headers.get('upload-offset'), '20');
    const path = some.headers.get('location') ?? '';
    assert.equal((await documentOf(await patch(path, 20, bytes.subarray(20)))).file_size, 50);
    const none = await begin(0);
    assert.equal(none.status, 201, none.text);
    assert.equal((await documentOf(none)).file_size, 0);
  });

  test('OPTIONS says what can be done, and other verbs cannot', async () => {
    const options = await files.request('OPTIONS', TUS, { as: null });
    assert.equal(options.status, 204);
    assert.equal(options.headers.get('tus-version'), '1.0.0');
    assert.equal(
      options.headers.get('tus-extension'),
      'creation,creation-with-upload,expiration,termination,checksum',
    );
    assert.equal(options.headers.get('tus-max-size'), String(MAX_BYTES));
    assert.equal(options.headers.get('tus-checksum-algorithm'), 'sha1,sha256,sha512,md5');
    assertEnvelope(await files.request('GET', `${TUS}/x`), 'MethodNotAllowedError');
    assertEnvelope(await files.request('PUT', TUS), 'MethodNotAllowedError');
  });

  test('a wrong offset is a conflict and changes nothing', async () => {
    const path = await begun(10);
    await patch(path, 0, randomBytes(4));
    for (const offset of [0, 3, 5, 10]) {
      assertEnvelope(await patch(path, offset, randomBytes(1)), 'UploadConflictError');
    }
    assert.equal(await offsetOf(path), 4);
  });

  test('more bytes than were announced are refused, and no File is made of those that were', async () => {
    const count = async () =>
      (await files.request('GET', '/api/method/frappe.client.get_count?doctype=File')).body.message;
    const before = await count();
    // The length of such a body is not known beforehand.
    const sendMore = (method: string, path: string, headers: Headers) =>
      send(files.url + path, {
        method,
        headers: {
          authorization: `token ${files.adminKey}`,
          'tus-resumable': '1.0.0',
          'content-type': BYTES,
          ...headers,
        },
        body: Readable.from([randomBytes(10), randomBytes(5)]),
        duplex: 'half',
      });
    const path = await begun(10);
    const reply = await sendMore('PATCH', path, { 'upload-offset': '0' });
    assert.equal(reply.status, 413, await reply.text());
    assert.equal(await offsetOf(path), 0);
    const announced = { 'upload-length': '10', 'upload-metadata': metadata({ filename: 'a.bin' }) };
    const created = await sendMore('POST', TUS, announced);
    assert.equal(created.status, 413, await created.text());
    assert.equal(await count(), before);
    const end = await patch(path, 0, randomBytes(10));
    assert.equal((await documentOf(end)).file_size, 10);
  });

  test('of bytes sent twice at once only one part counts', async () => {
    const bytes = randomBytes(2_000);
    const path = await begun(2_000, { filename: 'race.bin' });
    const first = await Promise.all([1, 2, 3, 4].map(() => patch(path, 0, bytes.subarray(0, 900))));
    assert.deepEqual(first.map(({ status }) => status).sort(), [204, 409, 409, 409]);
    const last = await Promise.all([1, 2, 3].map(() => patch(path, 900, bytes.subarray(900))));
    assert.deepEqual(last.map(({ status }) => status).sort(), [204, 409, 409]);
    const done = last.find(({ status }) => status === 204);
    assert.ok(done);
    assert.deepEqual(await bytesAt((await documentOf(done)).file_url), bytes);
  });

  test('a checksum is of all bytes of its part, or none of them count', async () => {
    const keys = await files.keys();
    const bytes = randomBytes(30);
    const path = await begun(30);
    const wrong = { 'upload-checksum': sha1(bytes) };
    assertEnvelope(await patch(path, 0, bytes.subarray(0, 20), wrong), 'ChecksumMismatchError');
    assertEnvelope(await patch(path, 0, bytes, { 'upload-checksum': 'crc9 AAAA' }), 'BadRequestError');
    assert.equal(await offsetOf(path), 0);
    assert.equal(await files.keys(), keys);
    const right = { 'upload-checksum': sha1(bytes.subarray(0, 20)) };
    assert.equal((await patch(path, 0, bytes.subarray(0, 20), right)).status, 204);
    const last = bytes.subarray(20);
    assertEnvelope(await patch(path, 20, last, right), 'ChecksumMismatchError');
    assert.equal((await patch(path, 20, last, { 'upload-checksum': sha1(last) })).status, 204);
  });

  test('termination leaves nothing', async () => {
    const keys = await files.keys();
    const path = await begun(100);
    await patch(path, 0, randomBytes(60));
    assert.equal(await files.keys(), keys + 1);
    assert.equal((await tus('DELETE', path)).status, 204);
    assert.equal((await tus('HEAD', path)).status, 404);
    assert.equal(await files.keys(), keys);
  });

  test('requests that are not of the protocol are refused with 4xx', async () => {
    const path = await begun(10);
    const named = { 'upload-metadata': metadata({ filename: 'x' }) };
    // At once, and not when all of it has come.
    assertEnvelope(await begin(10, { filename: '..' }), 'ValidationError');
    const cases: [TestReply, number][] = [
      [await files.request('POST', TUS), 412],
      [await tus('POST', TUS, { 'tus-resumable': '0.2.2' }), 412],
      [await tus('POST', TUS, named), 400],
      [await tus('POST', TUS, { ...named, 'upload-length': '-1' }), 400],
      [await tus('POST', TUS, { ...named, 'upload-length': '1e3' }), 400],
      [await tus('POST', TUS, { ...named, 'upload-length': '5', 'upload-concat': 'partial' }), 400],
      [await tus('POST', TUS, { ...named, 'upload-defer-length': '1' }), 400],
      [await tus('POST', TUS, { 'upload-length': '5', 'upload-metadata': 'filename ???' }), 400],
      [await tus('POST', TUS, { 'upload-length': '5' }), 417],
      [await begin(5, { filename: 'a\0b' }), 400],
      [await begin(MAX_BYTES + 1), 413],
      [await tus('PATCH', path, { 'content-type': BYTES }, randomBytes(1)), 400],
      [
        await tus('PATCH', path, { 'upload-offset': '0', 'content-type': 'text/plain' }, Buffer.from('x')),
        415,
      ],
      [await tus('PATCH', path, { 'upload-offset': '0' }), 415],
      [await patch(path, 0, randomBytes(11)), 413],
      [await tus('HEAD', `${TUS}/..%2f..%2fetc`), 404],
      [await tus('DELETE', `${TUS}/nowhere`), 404],
    ];
    for (const [index, [reply, status]] of cases.entries()) {
      assert.equal(reply.status, status, `case ${index}: ${reply.text}`);
      assert.equal(reply.headers.get('tus-resumable'), status === 415 && index === 12 ? null : '1.0.0');
    }
    assert.equal(cases[1]?.[0].headers.get('tus-version'), '1.0.0');
    assert.equal(await offsetOf(path), 0);
  });
});
