/** Uploads, downloads and File documents over real HTTP on both engines. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { notes } from '../support/notes/app.ts';
import { ENGINES, startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(100)]);
const MAX_BYTES = 200_000;

for (const engine of ENGINES) {
  describe(`files on ${engine}`, () => {
    let site: TestSite;
    let writer: string;
    let reader: string;
    let outsider: string;
    let count = 0;

    before(async () => {
      site = await startTestSite(engine, {
        apps: [notes],
        config: { uploads: { maxBytes: MAX_BYTES, defaultPrivate: false } },
      });
      writer = await site.createUser('writer@example.com', ['Note Writer']);
      reader = await site.createUser('reader@example.com', ['Note Reader']);
      outsider = await site.createUser('outsider@example.com', []);
      const made = await site.request('POST', '/api/resource/DocType', {
        body: {
          name: 'Case',
          module: 'Notes',
          custom: 1,
          autoname: 'hash',
          max_attachments: 2,
          fields: [
            { fieldname: 'subject', label: 'Subject', fieldtype: 'Data' },
            { fieldname: 'photo', label: 'Photo', fieldtype: 'Attach Image' },
          ],
          permissions: [
            { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
            { role: 'All', read: 1, write: 1, create: 1, delete: 1, if_owner: 1 },
          ],
        },
      });
      assert.equal(made.status, 200, made.text);
    });
    after(async () => {
      await site.stop();
      assert.deepEqual(
        site.observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    });

    type Content = string | Uint8Array<ArrayBuffer>;
    async function upload(
      name: string,
      content: Content,
      fields: Record<string, string> = {},
      as?: string,
    ): Promise<TestReply> {
      const form = new FormData();
      form.set('file', new Blob([content]), name);
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      return site.request('POST', '/api/method/upload_file', { body: form, ...(as ? { as } : {}) });
    }
    // biome-ignore lint/suspicious/noExplicitAny: File documents as the wire shows them
    async function stored(...args: Parameters<typeof upload>): Promise<any> {
      const reply = await upload(...args);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.message;
    }
    async function create(doctype: string, fields: Record<string, unknown>, as?: string): Promise<string> {
      count += 1;
      const body = doctype === 'Note' ? { name: `note-${count}`, title: 'T', ...fields } : fields;
      const reply = await site.request('POST', `/api/resource/${doctype}`, { body, ...(as ? { as } : {}) });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.name;
    }
    const file = (name: string) => `/api/resource/File/${encodeURIComponent(name)}`;
    const get = (path: string, as: string | null = null, headers: Record<string, string> = {}) =>
      site.request('GET', path, { as, headers });
    async function keys(): Promise<number> {
      let found = 0;
      for await (const _ of site.site.storage.list()) found += 1;
      return found;
    }

    describe('upload', () => {
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
        const read = await site.request('GET', file(doc.name));
        assert.deepEqual(read.body.data, doc);
      });

      test('bytes of every size come back identical', async () => {
        for (const size of [0, 1, 65_536, MAX_BYTES]) {
          const bytes = randomBytes(size);
          const doc = await stored('data.bin', bytes);
          const response = await fetch(site.url + doc.file_url);
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
        const docs = await Promise.all(
          Array.from({ length: 12 }, (_, index) => stored('race.txt', `${index}`)),
        );
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
        const { body } = await site.request('POST', '/api/method/upload_file', { body: form, as: writer });
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
        assertEnvelope(await upload('big.bin', randomBytes(MAX_BYTES + 1)), 417, 'MaxFileSizeReachedError');
        assertEnvelope(await upload('huge.bin', randomBytes(20 * MAX_BYTES)), 417, 'MaxFileSizeReachedError');
        assert.equal(await keys(), before);
      });

      test('the target document must exist and be writable', async () => {
        const before = await keys();
        const note = await create('Note', {});
        const on = (docname: string, doctype = 'Note') => ({ doctype, docname });
        assertEnvelope(await upload('a', 'x', on('missing'), writer), 404, 'DoesNotExistError');
        assertEnvelope(await upload('a', 'x', on('missing'), reader), 403, 'PermissionError');
        assertEnvelope(await upload('a', 'x', on(note), reader), 403, 'PermissionError');
        assertEnvelope(await upload('a', 'x', on(note), outsider), 403, 'PermissionError');
        assertEnvelope(await upload('a', 'x', on(note, 'Nothing'), writer), 404, 'DoesNotExistError');
        assertEnvelope(await upload('a', 'x', on(note, 'Note Line'), writer), 417, 'ValidationError');
        assertEnvelope(await upload('a', 'x', { doctype: 'Note' }, writer), 417, 'ValidationError');
        assertEnvelope(await upload('a', 'x', { docname: note }, writer), 417, 'ValidationError');
        // The same when the fields come too late to be looked at before the bytes.
        const form = new FormData();
        form.set('file', new Blob(['x']), 'late.txt');
        form.set('doctype', 'Note');
        form.set('docname', note);
        const late = await site.request('POST', '/api/method/upload_file', { body: form, as: reader });
        assertEnvelope(late, 403, 'PermissionError');
        assert.equal(await keys(), before);
      });

      test('Guest is refused', async () => {
        const form = new FormData();
        form.set('file', new Blob(['x']), 'a.txt');
        const reply = await site.request('POST', '/api/method/upload_file', { body: form, as: null });
        assertEnvelope(reply, 403, 'PermissionError');
      });

      test('a folder must exist and be a folder', async () => {
        const doc = await stored('in-home.txt', 'x', { folder: 'Home/Attachments' });
        assert.equal(doc.folder, 'Home/Attachments');
        assertEnvelope(await upload('a', 'x', { folder: 'Nowhere' }), 417, 'ValidationError');
        assertEnvelope(await upload('a', 'x', { folder: doc.name }), 417, 'ValidationError');
      });

      test('is_private must be a flag', async () => {
        assertEnvelope(await upload('a', 'x', { is_private: 'maybe' }), 417, 'ValidationError');
        assert.equal((await stored('a', 'x', { is_private: 'true' })).is_private, 1);
        assert.equal((await stored('a', 'x', { is_private: '' })).is_private, 0);
      });

      test('a doctype limits the attachments of a document', async () => {
        const docname = await create('Case', { subject: 'S' });
        const on = { doctype: 'Case', docname };
        await stored('1', 'x', on);
        await stored('2', 'x', on);
        assertEnvelope(await upload('3', 'x', on), 417, 'AttachmentLimitReached');
      });

      test('without a file a file_url makes a link; without either it is refused', async () => {
        const form = new FormData();
        form.set('file_url', 'https://example.com/pictures/cat.png');
        const { body } = await site.request('POST', '/api/method/upload_file', { body: form });
        assert.equal(body.message.file_url, 'https://example.com/pictures/cat.png');
        assert.equal(body.message.file_name, 'cat.png');
        const json = await site.request('POST', '/api/method/upload_file', {
          body: { file_url: 'https://example.com/x', file_name: 'named.txt', is_private: 1 },
        });
        assert.equal(json.body.message.file_name, 'named.txt');
        assert.equal(json.body.message.is_private, 0);
        for (const fields of [{}, { doctype: 'Note' }, { file_name: 'only-a-name.txt' }]) {
          const empty = new FormData();
          for (const [key, value] of Object.entries(fields)) empty.set(key, value);
          const reply = await site.request('POST', '/api/method/upload_file', { body: empty });
          assertEnvelope(reply, 417, 'MandatoryError');
        }
        for (const file_url of [
          'javascript:alert(1)',
          'file:///etc/passwd',
          '/files/../x',
          '/etc/passwd',
          'ftp://x/y',
        ]) {
          const reply = await site.request('POST', '/api/method/upload_file', { body: { file_url } });
          assertEnvelope(reply, 417, 'ValidationError');
        }
      });

      test('a File of the library is reused by those who may read it', async () => {
        const doc = await stored('library.txt', 'shared', { is_private: '1' }, writer);
        const reuse = (as: string) =>
          site.request('POST', '/api/method/upload_file', { body: { library_file_name: doc.name }, as });
        const again = await reuse(writer);
        assert.equal(again.body.message.file_url, doc.file_url);
        assert.notEqual(again.body.message.name, doc.name);
        assertEnvelope(await reuse(outsider), 403, 'PermissionError');
      });

      test('v1 and v2 addresses work', async () => {
        for (const [path, key] of [
          ['/api/v1/method/upload_file', 'message'],
          ['/api/v2/method/upload_file', 'data'],
        ] as const) {
          const form = new FormData();
          form.set('file', new Blob(['x']), 'v.txt');
          const reply = await site.request('POST', path, { body: form });
          assert.equal(reply.status, 200, reply.text);
          assert.equal(reply.body[key].file_name, 'v.txt');
        }
        assert.equal((await site.request('GET', '/api/method/upload_file')).status, 405);
      });
    });

    describe('download', () => {
      test('headers keep the file from running in our origin', async () => {
        for (const name of ['page.html', 'drawing.svg', 'data.xml', 'script.js']) {
          const doc = await stored(
            name,
            '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
          );
          const { headers } = await get(doc.file_url);
          assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="/);
          assert.equal(headers.get('content-type'), 'application/octet-stream');
          assert.equal(headers.get('x-content-type-options'), 'nosniff');
          assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
        }
        const image = await get((await stored('p.png', PNG)).file_url);
        assert.equal(image.headers.get('content-type'), 'image/png');
        assert.match(image.headers.get('content-disposition') ?? '', /^inline;/);
        const fake = await get((await stored('fake.png', '<html>')).file_url);
        assert.match(fake.headers.get('content-disposition') ?? '', /^attachment;/);
      });

      test('HEAD, ranges and conditions follow RFC 9110', async () => {
        const { file_url: url } = await stored('range.txt', '0123456789');
        const whole = await get(url);
        const etag = whole.headers.get('etag') ?? '';
        assert.equal(whole.headers.get('content-length'), '10');
        assert.equal(whole.headers.get('accept-ranges'), 'bytes');
        const head = await site.request('HEAD', url, { as: null });
        assert.equal(head.status, 200);
        assert.equal(head.text, '');
        for (const name of [
          'content-length',
          'etag',
          'content-type',
          'content-disposition',
          'last-modified',
        ]) {
          assert.equal(head.headers.get(name), whole.headers.get(name), name);
        }
        const part = await get(url, null, { range: 'bytes=2-4' });
        assert.equal(part.status, 206);
        assert.equal(part.text, '234');
        assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
        assert.equal(part.headers.get('content-length'), '3');
        assert.equal((await get(url, null, { range: 'bytes=-3' })).text, '789');
        const outside = await get(url, null, { range: 'bytes=10-' });
        assertEnvelope(outside, 416, 'RangeNotSatisfiableError');
        assert.equal(outside.headers.get('content-range'), 'bytes */10');
        assert.equal((await get(url, null, { range: 'bytes=0-1,4-5' })).text, '0123456789');
        const unchanged = await get(url, null, { 'if-none-match': etag });
        assert.equal(unchanged.status, 304);
        assert.equal(unchanged.text, '');
        assert.equal(unchanged.headers.get('etag'), etag);
        const since = whole.headers.get('last-modified') ?? '';
        assert.equal((await get(url, null, { 'if-modified-since': since })).status, 304);
        const resumed = { range: 'bytes=5-', 'if-range': etag };
        assert.equal((await get(url, null, resumed)).text, '56789');
        assert.equal((await get(url, null, { ...resumed, 'if-range': '"old"' })).text, '0123456789');
      });

      test('an unknown public url is 404, an unknown private one looks like a forbidden one', async () => {
        assertEnvelope(await get('/files/unknown.txt'), 404, 'DoesNotExistError');
        const doc = await stored('mine.txt', 'x', { is_private: '1' }, writer);
        for (const as of [null, outsider]) {
          const forbidden = await get(doc.file_url, as);
          const unknown = await get('/private/files/unknown.txt', as);
          assertEnvelope(forbidden, 403, 'PermissionError');
          assert.equal(unknown.status, 403);
          assert.equal(unknown.text, forbidden.text);
        }
        assert.equal((await get(doc.file_url, writer)).text, 'x');
      });

      test('private means private for HEAD, ranges and conditions too, and is not cached', async () => {
        const doc = await stored('secret.txt', 'secret', { is_private: '1' }, writer);
        const allowed = await get(doc.file_url, writer);
        const etag = allowed.headers.get('etag') ?? '';
        assert.match(allowed.headers.get('cache-control') ?? '', /private, no-store/);
        assert.equal((await site.request('HEAD', doc.file_url, { as: outsider })).status, 403);
        assert.equal((await get(doc.file_url, outsider, { range: 'bytes=0-1' })).status, 403);
        assert.equal((await get(doc.file_url, outsider, { 'if-none-match': etag })).status, 403);
        assert.equal((await get(doc.file_url, outsider, { 'if-none-match': '*' })).status, 403);
      });

      test('an attached private file follows the document, request by request', async () => {
        const note = await create('Note', {}, writer);
        const on = { doctype: 'Note', docname: note, is_private: '1' };
        const doc = await stored('attached.txt', 'x', on, writer);
        assert.equal((await get(doc.file_url, reader)).status, 200);
        assert.equal((await get(doc.file_url, outsider)).status, 403);
        const own = await create('Case', { subject: 'mine' }, outsider);
        const case_ = await stored('case.txt', 'x', { doctype: 'Case', docname: own, is_private: '1' });
        assert.equal((await get(case_.file_url, outsider)).status, 200);
        assert.equal((await get(case_.file_url, reader)).status, 403);
      });

      test('other ways to write the address never reach another file', async () => {
        const doc = await stored('target.txt', 'secret bytes', { is_private: '1' }, writer);
        const name = doc.file_url.split('/').at(-1);
        const paths = [
          `/files/../private/files/${name}`,
          `/files/..%2fprivate%2ffiles%2f${name}`,
          `/files/%2e%2e/private/files/${name}`,
          `/files/%252e%252e%252fprivate/files/${name}`,
          `//private/files/${name}`,
          `/private//files/${name}`,
          `/private/files/./${name}`,
          `/private/files//${name}`,
          `/private%2ffiles%2f${name}`,
          `/private%2Ffiles/${name}`,
          `/PRIVATE/FILES/${name}`,
          `/private/files/${name}/`,
          `/private/files/${name}%00`,
          `/private/files/${name}%20`,
          `/private\\files\\${name}`,
          `/files/${name}`,
          '/files/../../../../etc/passwd',
          '/files/..%5c..%5cetc%5cpasswd',
          '/files/%c0%ae%c0%ae/etc/passwd',
          '/files/',
          '/private/files/',
          '/files',
        ];
        for (const path of paths) {
          const reply = await sendRaw(
            site.url,
            `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
          );
          assert.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`);
          assert.doesNotMatch(reply.text, /secret bytes|root:/, path);
        }
        // Percent signs that mean the very same characters are the same address.
        const same = await get(doc.file_url.replace('target', '%74arget'), writer);
        assert.equal(same.text, 'secret bytes');
      });

      test('a client that goes away in mid-download leaves no open file behind', async () => {
        const doc = await stored('long.bin', randomBytes(MAX_BYTES));
        for (let round = 0; round < 5; round += 1) {
          const abort = new AbortController();
          const response = await fetch(site.url + doc.file_url, { signal: abort.signal });
          await response.body?.getReader().read();
          abort.abort();
        }
        await until(async () => !(await openFiles()).some((path) => path.startsWith(site.site.config.data)));
      });
    });

    describe('File documents', () => {
      test('content may come inside the document, as text or base64', async () => {
        const make = (fields: Record<string, unknown>) =>
          site.request('POST', '/api/resource/File', { body: fields });
        const text = await make({ file_name: 'inline.txt', content: 'grüße' });
        assert.equal((await get(text.body.data.file_url)).text, 'grüße');
        const coded = await make({
          file_name: 'coded.png',
          decode: true,
          content: `data:image/png;base64,${PNG.toString('base64')}`,
        });
        assert.equal(coded.body.data.file_size, PNG.length);
        assert.equal((await get(coded.body.data.file_url)).headers.get('content-type'), 'image/png');
        assertEnvelope(
          await make({ file_name: 'x', decode: 1, content: 'not base64!' }),
          417,
          'ValidationError',
        );
        assertEnvelope(await make({ content: 'no name' }), 417, 'MandatoryError');
        assertEnvelope(await make({ file_name: 'x', content: { a: 1 } }), 417, 'ValidationError');
        assertEnvelope(
          await make({ file_name: 'x', content: 'x'.repeat(MAX_BYTES + 1) }),
          417,
          'MaxFileSizeReachedError',
        );
        assertEnvelope(await make({ file_name: 'nothing.txt' }), 417, 'MandatoryError');
      });

      test('what the server owns cannot be claimed', async () => {
        const { body } = await site.request('POST', '/api/resource/File', {
          body: {
            file_name: 'o.txt',
            content: 'x',
            file_size: 99,
            content_hash: 'h',
            file_type: 'EXE',
            is_home_folder: 1,
          },
        });
        assert.equal(body.data.file_size, 1);
        assert.match(body.data.content_hash, /^[0-9a-f]{64}$/);
        assert.equal(body.data.file_type, 'TXT');
        assert.equal(body.data.is_home_folder, 0);
        const same = await site.request('PUT', file(body.data.name), { body: body.data });
        assert.equal(same.status, 200, same.text);
        const changed = await site.request('PUT', file(body.data.name), {
          body: { file_size: 5, content_hash: 'h' },
        });
        assert.equal(changed.body.data.file_size, 1);
        const moved = await site.request('PUT', file(body.data.name), {
          body: { file_url: '/files/hello.txt' },
        });
        assertEnvelope(moved, 417, 'CannotChangeConstantError');
      });

      test('a url gives no access to bytes its writer could not read', async () => {
        const secret = await stored('claim.txt', 'secret', { is_private: '1' }, writer);
        const claim = (file_url: string, as: string) =>
          site.request('POST', '/api/resource/File', { body: { file_url }, as });
        const refused = await claim(secret.file_url, outsider);
        assertEnvelope(refused, 403, 'PermissionError');
        const unknown = await claim('/private/files/unknown.txt', outsider);
        assert.equal(unknown.text.replaceAll('unknown', 'claim'), refused.text);
        const own = await claim(secret.file_url, writer);
        assert.equal(own.status, 200, own.text);
        assert.equal(own.body.data.is_private, 1);
      });

      test('a file of someone else is theirs to change and delete', async () => {
        const doc = await stored('theirs.txt', 'x', {}, writer);
        assert.equal((await get(file(doc.name), outsider)).status, 200);
        const put = await site.request('PUT', file(doc.name), { body: { is_private: 1 }, as: outsider });
        assertEnvelope(put, 403, 'PermissionError');
        assertEnvelope(
          await site.request('DELETE', file(doc.name), { as: outsider }),
          403,
          'PermissionError',
        );
        const note = await create('Note', {});
        const onNote = { doctype: 'Note', docname: note, is_private: '1' };
        const attached = await stored('on-note.txt', 'x', onNote);
        assertEnvelope(await get(file(attached.name), outsider), 403, 'PermissionError');
        assert.equal((await get(file(attached.name), reader)).status, 200);
        assertEnvelope(
          await site.request('DELETE', file(attached.name), { as: reader }),
          403,
          'PermissionError',
        );
        assert.equal((await site.request('DELETE', file(attached.name), { as: writer })).status, 202);
      });

      test('the list shows what can be opened, and no more', async () => {
        const note = await create('Note', {});
        await stored('l1.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
        await stored('l2.txt', 'x', { is_private: '1' });
        await stored('l3.txt', 'x', { is_private: '1' }, outsider);
        const own = await create('Case', { subject: 'S' });
        await stored('l4.txt', 'x', { doctype: 'Case', docname: own, is_private: '1' });
        for (const as of [writer, reader, outsider]) {
          const { body } = await get('/api/resource/File?limit_page_length=500', as);
          assert.ok(body.data.length > 0);
          for (const { name } of body.data) assert.equal((await get(file(name), as)).status, 200, name);
          const shown = await get(`/api/method/frappe.client.get_count?doctype=File`, as);
          assert.equal(shown.body.message, body.data.length);
        }
        const names = async (as: string) => {
          const query = new URLSearchParams({
            fields: '["file_name"]',
            filters: '[["file_name","like","l_.txt"]]',
          });
          const { body } = await get(`/api/resource/File?${query}`, as);
          return body.data.map((row: { file_name: string }) => row.file_name).sort();
        };
        assert.deepEqual(await names(reader), ['l1.txt']);
        assert.deepEqual(await names(outsider), ['l3.txt']);
      });

      test('turning private moves the url for all who share it, and the field that holds it', async () => {
        const docname = await create('Case', { subject: 'photo' });
        const doc = await stored('photo.png', PNG, { doctype: 'Case', docname, fieldname: 'photo' });
        await site.request('PUT', `/api/resource/Case/${docname}`, { body: { photo: doc.file_url } });
        const { body: shared } = await site.request('POST', '/api/resource/File', {
          body: { file_url: doc.file_url },
        });
        const { body } = await site.request('PUT', file(doc.name), { body: { is_private: 1 } });
        assert.match(body.data.file_url, /^\/private\/files\/photo.*\.png$/);
        assert.equal((await get(doc.file_url)).status, 404);
        assert.equal((await get(body.data.file_url)).status, 403);
        assert.equal((await get(body.data.file_url, `token ${site.adminKey}`)).status, 200);
        const other = await get(file(shared.data.name), `token ${site.adminKey}`);
        assert.equal(other.body.data.file_url, body.data.file_url);
        assert.equal(other.body.data.is_private, 1);
        const case_ = await get(`/api/resource/Case/${docname}`, `token ${site.adminKey}`);
        assert.equal(case_.body.data.photo, body.data.file_url);
        const back = await site.request('PUT', file(doc.name), { body: { is_private: 0 } });
        assert.equal((await get(back.body.data.file_url)).status, 200);
      });

      test('whoever shares bytes cannot publish them over the head of their owner', async () => {
        const note = await create('Note', {});
        const doc = await stored('shared.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
        const { body } = await site.request('POST', '/api/resource/File', {
          body: { file_url: doc.file_url },
          as: reader,
        });
        const publish = await site.request('PUT', file(body.data.name), {
          body: { is_private: 0 },
          as: reader,
        });
        assertEnvelope(publish, 403, 'PermissionError');
        assert.equal((await get(doc.file_url)).status, 403);
      });

      test('a File moves only to documents its writer may write', async () => {
        const note = await create('Note', {});
        const doc = await stored('wander.txt', 'x', {}, reader);
        const attach = (fields: Record<string, unknown>, as: string) =>
          site.request('PUT', file(doc.name), { body: fields, as });
        const target = { attached_to_doctype: 'Note', attached_to_name: note };
        assertEnvelope(await attach(target, reader), 403, 'PermissionError');
        assert.equal((await attach(target, `token ${site.adminKey}`)).status, 200);
      });

      test('bytes go with the last File that has them', async () => {
        const before = await keys();
        const doc = await stored('counted.txt', 'x');
        const { body: second } = await site.request('POST', '/api/resource/File', {
          body: { file_url: doc.file_url },
        });
        assert.equal(await keys(), before + 1);
        assert.equal((await site.request('DELETE', file(doc.name))).status, 202);
        assert.equal((await get(doc.file_url)).status, 200);
        assert.equal((await site.request('DELETE', file(second.data.name))).status, 202);
        assert.equal((await get(doc.file_url)).status, 404);
        await until(async () => (await keys()) === before);
        // The name is free again.
        assert.equal((await stored('counted.txt', 'y')).file_url, doc.file_url);
      });

      test('a deleted document takes its attachments along; a renamed one keeps them', async () => {
        const note = await create('Note', {}, writer);
        const doc = await stored('goes.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
        const renamed = await site.request('POST', '/api/method/frappe.client.rename_doc', {
          body: { doctype: 'Note', old_name: note, new_name: `${note}-renamed` },
          as: writer,
        });
        assert.equal(renamed.status, 200, renamed.text);
        assert.equal((await get(doc.file_url, reader)).status, 200);
        const deleted = await site.request('DELETE', `/api/resource/Note/${note}-renamed`, { as: writer });
        assert.equal(deleted.status, 202, deleted.text);
        assert.equal((await get(doc.file_url, `token ${site.adminKey}`)).status, 403);
        assert.equal((await get(file(doc.name), `token ${site.adminKey}`)).status, 404);
      });

      test('folders: made by path, kept while not empty, Home for ever', async () => {
        const make = (fields: Record<string, unknown>) =>
          site.request('POST', '/api/resource/File', { body: { is_folder: 1, ...fields } });
        const { body } = await make({ file_name: 'Plans' });
        assert.equal(body.data.name, 'Home/Plans');
        const inner = await make({ file_name: '2026', folder: 'Home/Plans' });
        assert.equal(inner.body.data.name, 'Home/Plans/2026');
        assertEnvelope(await make({ file_name: 'Plans' }), 409, 'DuplicateEntryError');
        assertEnvelope(await make({ file_name: 'a/b' }), 417, 'ValidationError');
        assertEnvelope(await make({ file_name: 'x', folder: 'Nowhere' }), 417, 'ValidationError');
        assertEnvelope(await make({}), 417, 'MandatoryError');
        const doc = await stored('plan.txt', 'x', { folder: 'Home/Plans/2026' });
        const remove = (name: string) => site.request('DELETE', file(name));
        assertEnvelope(await remove('Home/Plans'), 417, 'FolderNotEmpty');
        assertEnvelope(await remove('Home/Plans/2026'), 417, 'FolderNotEmpty');
        for (const name of [doc.name, 'Home/Plans/2026', 'Home/Plans'])
          assert.equal((await remove(name)).status, 202);
        for (const name of ['Home', 'Home/Attachments'])
          assertEnvelope(await remove(name), 417, 'ValidationError');
      });
    });

    function multipart(parts: readonly string[]): string {
      return `${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
    }
    async function postRaw(body: string): Promise<TestReply> {
      const reply = await site.request('POST', '/api/method/upload_file', {
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=B' },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply;
    }
  });
}

/** What this process, and so the server, has open right now; nothing where the system does not say. */
async function openFiles(): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.includes('/files/'));
}

/** Bytes are deleted after the reply: waits for what is promised to happen soon. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'did not come true in 10 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
