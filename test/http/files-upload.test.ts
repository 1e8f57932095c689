/** upload_file over real HTTP on both engines. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, MAX_BYTES } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('uploads', fileSite(), (files) => {
  const { upload, stored, create, get, keys } = files;

  test('replies with the whole File document, without nulls', async () => {
    const doc = await stored('hello.txt', 'hello');
    assert.equal(doc.doctype, 'File');
    assert.equal(doc.owner, 'Administrator');
    assert.equal(doc.file_name, 'hello.txt');
    assert.equal(doc.file_url, '/files/hello.txt');
    assert.equal(doc.is_private, 0);
    assert.equal(doc.folder, 'Home');
    assert.equal(doc.file_size, 5);
    assert.equal(doc.file_type, 'TXT');
    assert.match(doc.content_hash, /^[0-9a-f]{64}$/);
    assert.ok(!Object.values(doc).includes(null));
    const read = await files.request('GET', file(doc.name));
    assert.deepEqual(read.body.data, doc);
  });

  test('bytes of every size come back identical', async () => {
    for (const size of [0, 1, 65_536, MAX_BYTES]) {
      const bytes = randomBytes(size);
      const doc = await stored('data.bin', bytes);
      const response = await fetch(files.url + doc.file_url);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    }
  });

  test('two files of one name get urls of their own and keep their own bytes', async () => {
    const first = await stored('same.txt', 'first');
    const second = await stored('same.txt', 'second');
    assert.equal(second.file_name, 'same.txt');
    assert.match(second.file_url, /^\/files\/same-[0-9a-f]{6}\.txt$/);
    assert.equal((await get(first.file_url)).text, 'first');
    assert.equal((await get(second.file_url)).text, 'second');
  });

  test('many uploads of one name at once all succeed with different urls', async () => {
    const docs = await Promise.all(Array.from({ length: 12 }, (_, index) => stored('race.txt', `${index}`)));
    assert.equal(new Set(docs.map((doc) => doc.file_url)).size, 12);
    for (const [index, doc] of docs.entries()) assert.equal((await get(doc.file_url)).text, `${index}`);
  });

  test('fields may come before or after the file', async () => {
    const note = await create('Note', {});
    const form = new FormData();
    form.set('doctype', 'Note');
    form.set('file', new Blob(['x']), 'order.txt');
    form.set('docname', note);
    form.set('is_private', '1');
    form.set('something_else', 'ignored');
    const { body } = await files.request('POST', '/api/method/upload_file', { body: form, as: 'writer' });
    assert.equal(body.message.is_private, 1);
    assert.equal(body.message.attached_to_name, note);
    assert.match(body.message.file_url, /^\/private\/files\/order.*\.txt$/);
  });

  test('names in UTF-8 and RFC 5987 arrive; their urls can be used as they are', async () => {
    const plain = await stored('Résumé 2026 – final?.pdf', 'x');
    assert.equal(plain.file_name, 'Résumé 2026 – final?.pdf');
    assert.equal((await get(plain.file_url)).text, 'x');
    const body = multipart([
      `Content-Disposition: form-data; name=file; filename*=UTF-8''%e2%82%ac%20rates.txt\r\n\r\nx`,
    ]);
    const reply = await postRaw(body);
    assert.equal(reply.body.message.file_name, '€ rates.txt');
    assert.equal((await get(reply.body.message.file_url)).text, 'x');
  });

  test('a path in the name is dropped', async () => {
    const body = multipart([
      'Content-Disposition: form-data; name="file"; filename="../../etc/passwd"\r\n\r\nx',
    ]);
    const { body: reply } = await postRaw(body);
    assert.equal(reply.message.file_name, 'passwd');
    assert.equal(reply.message.file_url, '/files/passwd');
  });

  test('a file over the limit is refused and leaves nothing', async () => {
    const before = await keys();
    assertEnvelope(await upload('big.bin', randomBytes(MAX_BYTES + 1)), 'MaxFileSizeReachedError');
    assertEnvelope(await upload('huge.bin', randomBytes(20 * MAX_BYTES)), 'MaxFileSizeReachedError');
    assert.equal(await keys(), before);
  });

  test('the target document must exist and be writable', async () => {
    const before = await keys();
    const note = await create('Note', {});
    const on = (docname: string, doctype = 'Note') => ({ doctype, docname });
    assertEnvelope(await upload('a', 'x', on('missing'), 'writer'), 'DoesNotExistError');
    assertEnvelope(await upload('a', 'x', on('missing'), 'reader'), 'PermissionError');
    assertEnvelope(await upload('a', 'x', on(note), 'reader'), 'PermissionError');
    assertEnvelope(await upload('a', 'x', on(note), 'outsider'), 'PermissionError');
    assertEnvelope(await upload('a', 'x', on(note, 'Nothing'), 'writer'), 'DoesNotExistError');
    assertEnvelope(await upload('a', 'x', on(note, 'Note Line'), 'writer'), 'ValidationError');
    assertEnvelope(await upload('a', 'x', { doctype: 'Note' }, 'writer'), 'ValidationError');
    assertEnvelope(await upload('a', 'x', { docname: note }, 'writer'), 'ValidationError');
    // The same when the fields come too late to be looked at before the bytes.
    const form = new FormData();
    form.set('file', new Blob(['x']), 'late.txt');
    form.set('doctype', 'Note');
    form.set('docname', note);
    const late = await files.request('POST', '/api/method/upload_file', { body: form, as: 'reader' });
    assertEnvelope(late, 'PermissionError');
    assert.equal(await keys(), before);
  });

  test('Guest is refused', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.txt');
    const reply = await files.request('POST', '/api/method/upload_file', { body: form, as: null });
    assertEnvelope(reply, 'PermissionError');
  });

  test('a folder must exist and be a folder', async () => {
    const doc = await stored('in-home.txt', 'x', { folder: 'Home/Attachments' });
    assert.equal(doc.folder, 'Home/Attachments');
    assertEnvelope(await upload('a', 'x', { folder: 'Nowhere' }), 'LinkValidationError');
    assertEnvelope(await upload('a', 'x', { folder: doc.name }), 'LinkValidationError');
  });

  test('is_private must be a flag', async () => {
    assertEnvelope(await upload('a', 'x', { is_private: 'maybe' }), 'ValidationError');
    assert.equal((await stored('a', 'x', { is_private: 'true' })).is_private, 1);
    assert.equal((await stored('a', 'x', { is_private: '' })).is_private, 0);
  });

  test('a doctype limits the attachments of a document', async () => {
    const docname = await create('Case', { subject: 'S' });
    const on = { doctype: 'Case', docname };
    await stored('1', 'x', on);
    await stored('2', 'x', on);
    assertEnvelope(await upload('3', 'x', on), 'AttachmentLimitReached');
  });

  test('without a file a file_url makes a link; without either it is refused', async () => {
    const form = new FormData();
    form.set('file_url', 'https://example.com/pictures/cat.png');
    const { body } = await files.request('POST', '/api/method/upload_file', { body: form });
    assert.equal(body.message.file_url, 'https://example.com/pictures/cat.png');
    assert.equal(body.message.file_name, 'cat.png');
    const json = await files.request('POST', '/api/method/upload_file', {
      body: { file_url: 'https://example.com/x', file_name: 'named.txt', is_private: 1 },
    });
    assert.equal(json.body.message.file_name, 'named.txt');
    assert.equal(json.body.message.is_private, 0);
    for (const fields of [{}, { doctype: 'Note' }, { file_name: 'only-a-name.txt' }]) {
      const empty = new FormData();
      for (const [key, value] of Object.entries(fields)) empty.set(key, value);
      const reply = await files.request('POST', '/api/method/upload_file', { body: empty });
      assertEnvelope(reply, 'MandatoryError');
    }
    for (const file_url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      '/files/../x',
      '/etc/passwd',
      'ftp://x/y',
    ]) {
      const reply = await files.request('POST', '/api/method/upload_file', { body: { file_url } });
      assertEnvelope(reply, 'ValidationError');
    }
  });

  test('a File of the library is reused by those who may read it', async () => {
    const doc = await stored('library.txt', 'shared', { is_private: '1' }, 'writer');
    const reuse = (as: string) =>
      files.request('POST', '/api/method/upload_file', { body: { library_file_name: doc.name }, as });
    const again = await reuse('writer');
    assert.equal(again.body.message.file_url, doc.file_url);
    assert.notEqual(again.body.message.name, doc.name);
    assertEnvelope(await reuse('outsider'), 'PermissionError');
  });

  test('v1 and v2 addresses work', async () => {
    for (const [path, key] of [
      ['/api/v1/method/upload_file', 'message'],
      ['/api/method/uploadfile', 'message'],
      ['/api/v2/method/upload_file', 'data'],
    ] as const) {
      const form = new FormData();
      form.set('file', new Blob(['x']), 'v.txt');
      const reply = await files.request('POST', path, { body: form });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body[key].file_name, 'v.txt');
    }
    assert.equal((await files.request('GET', '/api/method/upload_file')).status, 405);
  });

  function multipart(parts: readonly string[]): string {
    return `${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
  }
  async function postRaw(body: string): Promise<TestReply> {
    const reply = await files.request('POST', '/api/method/upload_file', {
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  }
});
