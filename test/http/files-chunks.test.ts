/** upload_file with the fields that Frappe has for files in chunks. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const SIZE = 1_000;
const CHUNK = 400;

describeEither('uploads in chunks', fileSite(), (files) => {
  interface Sent {
    readonly fields?: Readonly<Record<string, string>>;
    readonly as?: string | null;
    readonly fileFirst?: boolean;
    readonly path?: string;
  }
  function send(bytes: Uint8Array, uploadId: string, index: number, sent: Sent = {}) {
    const { fields = {}, as, fileFirst = false, path = '/api/method/upload_file' } = sent;
    const form = new FormData();
    const chunk = new Uint8Array(bytes.subarray(index * CHUNK, (index + 1) * CHUNK));
    if (fileFirst) form.set('file', new Blob([chunk]), 'same name.bin');
    const own = {
      upload_id: uploadId,
      chunk_index: String(index),
      total_chunk_count: String(Math.ceil(bytes.length / CHUNK)),
      chunk_byte_offset: String(index * CHUNK),
      total_file_size: String(bytes.length),
      ...fields,
    };
    for (const [name, value] of Object.entries(own)) form.set(name, value);
    if (!fileFirst) form.set('file', new Blob([chunk]), 'same name.bin');
    return files.request('POST', path, { body: form, as });
  }
  const bytesAt = async (url: string) => {
    const headers = { authorization: `token ${files.adminKey}` };
    return Buffer.from(await (await fetch(files.url + url, { headers })).arrayBuffer());
  };

  test('chunks in order become a File; a chunk that comes again changes nothing', async () => {
    const keys = await files.keys();
    const bytes = randomBytes(SIZE);
    const note = await files.create('Note', {});
    const place = { fields: { doctype: 'Note', docname: note, is_private: '1' }, fileFirst: true };
    for (const index of [0, 0, 1, 0, 1]) {
      const reply = await send(bytes, 'upload-1', index, place);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.text, '{}');
    }
    const last = await send(bytes, 'upload-1', 2, place);
    assert.equal(last.status, 200, last.text);
    const doc = last.body.message;
    assert.equal(doc.attached_to_name, note);
    assert.equal(doc.file_name, 'same name.bin');
    assert.deepEqual(await bytesAt(doc.file_url), bytes);
    await until(async () => (await files.keys()) === keys + 1);
    const again = await send(bytes, 'upload-1', 2, place);
    assert.deepEqual(again.body.message, doc);
    assert.equal(await files.keys(), keys + 1);
  });

  test('a last chunk that comes twice at once does not end what the other one completes', async () => {
    const bytes = randomBytes(SIZE);
    for (const index of [0, 1]) assert.equal((await send(bytes, 'upload-twice', index)).status, 200);
    const { storage } = files.site;
    const open = storage.open.bind(storage);
    const { promise: isReading, resolve: reads } = Promise.withResolvers<void>();
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
    // The first to join the parts finds them when the other one has made the File and deleted them.
    storage.open = async (...given) => {
      storage.open = open;
      reads();
      await isDone;
      return open(...given);
    };
    const late = send(bytes, 'upload-twice', 2);
    await isReading;
    const keys = await files.keys();
    const made = await send(bytes, 'upload-twice', 2);
    assert.equal(made.status, 200, made.text);
    await until(async () => (await files.keys()) < keys);
    done();
    assertEnvelope(await late, 'UploadConflictError');
    assert.deepEqual((await send(bytes, 'upload-twice', 2)).body.message, made.body.message);
  });

  test('a chunk whose answer was lost, but not its commit, keeps its bytes', async () => {
    const bytes = randomBytes(SIZE);
    assert.equal((await send(bytes, 'upload-lost', 0)).status, 200);
    const { database } = files.site;
    const transaction = database.transaction.bind(database);
    database.transaction = async (...given) => {
      database.transaction = transaction;
      await transaction(...given);
      throw new ServiceError('ServiceUnavailableError', 'The connection broke during the commit');
    };
    assertEnvelope(await send(bytes, 'upload-lost', 1), 'ServiceUnavailableError');
    assert.equal((await send(bytes, 'upload-lost', 1)).text, '{}');
    const last = await send(bytes, 'upload-lost', 2);
    assert.equal(last.status, 200, last.text);
    assert.deepEqual(await bytesAt(last.body.message.file_url), bytes);
  });

  test('two uploads of one name at the same time, and of two users with one upload_id, stay apart', async () => {
    const [one, two, three] = [randomBytes(SIZE), randomBytes(SIZE), randomBytes(SIZE)];
    const senders = [
      (index: number) => send(one, 'upload-a', index),
      (index: number) => send(two, 'upload-b', index),
      (index: number) => send(three, 'upload-a', index, { as: 'writer' }),
    ];
    for (const index of [0, 1]) await Promise.all(senders.map((sender) => sender(index)));
    const done = await Promise.all(senders.map((sender) => sender(2)));
    for (const [index, bytes] of [one, two, three].entries()) {
      const reply = done[index];
      assert.ok(reply);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(await bytesAt(reply.body.message.file_url), bytes);
    }
  });

  test('the second version of the interface answers data', async () => {
    const bytes = randomBytes(SIZE);
    const path = '/api/v2/method/upload_file';
    assert.equal((await send(bytes, 'upload-v2', 0, { path })).text, '{"data":null}');
    await send(bytes, 'upload-v2', 1, { path });
    const last = await send(bytes, 'upload-v2', 2, { path });
    await files.ok('GET', file(last.body.data.name));
  });

  test('what is no chunk of a known upload is refused, and leaves nothing', async () => {
    const bytes = randomBytes(SIZE);
    await send(bytes, 'upload-c', 0);
    const keys = await files.keys();
    const late = await send(bytes, 'upload-c', 2);
    assertEnvelope(late, 'UploadConflictError');
    assert.equal(late.headers.get('upload-offset'), '400');
    assertEnvelope(await send(bytes, 'upload-unknown', 1), 'UploadConflictError');
    for (const [name, value] of [
      ['upload_id', ''],
      ['upload_id', 'short'],
      ['upload_id', '../../../etc'],
      ['chunk_index', '3'],
      ['chunk_index', '-1'],
      ['chunk_byte_offset', 'x'],
      ['total_file_size', '1e3'],
      ['total_file_size', '100'],
      ['total_file_size', '200001'],
    ] as const) {
      const reply = await send(bytes, 'upload-d', 0, { fields: { [name]: value } });
      assert.equal(reply.status, 417, `${name} ${value}: ${reply.text}`);
    }
    const short = { fields: { chunk_index: '2', chunk_byte_offset: '400' } };
    assertEnvelope(await send(bytes, 'upload-c', 1, short), 'ValidationError');
    assert.equal((await send(bytes, 'upload-e', 0, { as: null })).status, 403);
    assert.equal(await files.keys(), keys);
  });

  test('permission is asked for at each chunk', async () => {
    const bytes = randomBytes(SIZE);
    const note = await files.create('Note', {});
    const place = { fields: { doctype: 'Note', docname: note } };
    assertEnvelope(await send(bytes, 'upload-f', 0, { ...place, as: 'reader' }), 'PermissionError');
    for (const index of [0, 1]) await send(bytes, 'upload-g', index, { ...place, as: 'writer' });
    await files.request('DELETE', `/api/resource/Note/${note}`);
    assert.equal((await send(bytes, 'upload-g', 2, { ...place, as: 'writer' })).status, 404);
    const elsewhere = await send(bytes, 'upload-g', 2, { as: 'writer' });
    assert.equal(elsewhere.status, 200, elsewhere.text);
  });
});
