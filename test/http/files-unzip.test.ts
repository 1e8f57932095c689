/** Zips unpacked on the server: files in their place, and archives made to harm refused before anything is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, MAX_BYTES, startFileSite } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';
import { type Packed, pack } from '../support/zip.ts';

describeEither('unpacking zips', fileSite(), (files, engine) => {
  const admin = () => `token ${files.adminKey}`;
  const unzip = (
    name: string,
    more: Record<string, unknown> = {},
    as?: string,
    headers = {},
  ): Promise<TestReply> =>
    files.request('POST', '/api/method/frappe.core.api.file.unzip_file', {
      body: { name, ...more },
      headers,
      as,
    });
  const upload = async (packed: readonly Packed[], fields: Record<string, string> = {}, as?: string) =>
    files.stored('some.zip', await pack(packed), fields, as);
  const count = async () => {
    const { body } = await files.get('/api/method/frappe.client.get_count?doctype=File', admin());
    return [body.message, await files.keys()];
  };
  /** Uploads the archive and expects it to be refused with nothing changed. */
  const refuses = async (bytes: Buffer, because: string, type = 'ValidationError') => {
    const doc = await files.stored('bad.zip', new Uint8Array(bytes), {});
    const before = await count();
    assertEnvelope(await unzip(doc.name), type);
    assert.deepEqual(await count(), before, because);
    assert.equal((await files.get(file(doc.name), admin())).status, 200);
  };

  test('the files take the place of the zip', async () => {
    const note = await files.create('Note', {}, 'writer');
    const doc = await upload(
      [
        { path: 'a.txt', text: 'A' },
        { path: 'sub/', text: '' },
        { path: 'sub/a.txt', text: 'other A' },
        { path: 'sub/grüße.txt', text: 'x'.repeat(50_000) },
        { path: '__MACOSX/a.txt', text: 'no' },
        { path: 'sub/.DS_Store', text: 'no' },
        { path: 'empty.txt', text: '' },
      ],
      { doctype: 'Note', docname: note, is_private: '1' },
      'writer',
    );
    const reply = await unzip(doc.name, {}, 'writer');
    assert.equal(reply.status, 200, reply.text);
    const made: Record<string, string>[] = reply.body.message;
    assert.deepEqual(
      made.map((one) => one['file_name']),
      ['a.txt', 'a.txt', 'grüße.txt', 'empty.txt'],
    );
    assert.equal(new Set(made.map((one) => one['file_url'])).size, 4);
    for (const one of made) {
      assert.deepEqual(
        [one['is_private'], one['attached_to_doctype'], one['attached_to_name'], one['folder'], one['owner']],
        [1, 'Note', note, 'Home', 'writer@example.com'],
      );
    }
    assert.equal((await files.get(String(made[1]?.['file_url']), 'reader')).text, 'other A');
    assert.equal((await files.get(file(doc.name), admin())).status, 404);
    assertEnvelope(await unzip(doc.name, {}, 'writer'), 'PermissionError');
  });

  test('folders of the zip are kept when asked for', async () => {
    const doc = await upload([
      { path: 'top.txt', text: '1' },
      { path: 'x/one.txt', text: '2' },
      { path: 'x/y/two.txt', text: '3' },
      { path: 'x/y/three.txt', text: '4' },
    ]);
    const reply = await unzip(doc.name, { keep_folders: 1 });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      reply.body.message.map((one: Record<string, string>) => [one['folder'], one['file_name']]),
      [
        ['Home', 'top.txt'],
        ['Home/x', 'one.txt'],
        ['Home/x/y', 'two.txt'],
        ['Home/x/y', 'three.txt'],
      ],
    );
    const again = await upload([{ path: 'x/y/z/four.txt', text: '5' }]);
    const more = await unzip(again.name, { keep_folders: '1' });
    assert.equal(more.body.message[0].folder, 'Home/x/y/z');
    const before = await count();
    const deep = await upload([{ path: `${'d/'.repeat(LIMITS.folderDepth + 1)}f.txt`, text: '6' }]);
    assertEnvelope(await unzip(deep.name, { keep_folders: 1 }), 'ValidationError');
    assert.deepEqual(await count(), [Number(before[0]) + 1, Number(before[1]) + 1]);
    assert.equal((await unzip(deep.name)).status, 200);
    assertEnvelope(await unzip(deep.name), 'DoesNotExistError');
    assertEnvelope(await unzip(deep.name, { keep_folders: 'x' }), 'ValidationError');
  });

  test('it takes the right to delete the zip, and room among the attachments', async () => {
    const doc = await upload([{ path: 'a.txt', text: 'A' }]);
    assertEnvelope(await unzip(doc.name, {}, 'outsider'), 'PermissionError');
    const hidden = await upload([{ path: 'a.txt', text: 'A' }], { is_private: '1' });
    const kept = await unzip(hidden.name, {}, 'outsider');
    assertEnvelope(kept, 'PermissionError');
    const unknown = await unzip('0123456789', {}, 'outsider');
    assert.equal(unknown.text.replaceAll('0123456789', hidden.name), kept.text);
    const docname = await files.create('Case', { subject: 'full' });
    const three = await upload(
      [1, 2, 3].map((one) => ({ path: `${one}.txt`, text: String(one) })),
      { doctype: 'Case', docname },
    );
    const before = await count();
    assertEnvelope(await unzip(three.name), 'AttachmentLimitReached');
    assert.deepEqual(await count(), before);
    assertEnvelope(await unzip('Home'), 'ValidationError');
  });

  test('asked for twice with one key it is done once', async () => {
    const doc = await upload([{ path: 'once.txt', text: `once on ${engine}` }]);
    const headers = { 'idempotency-key': `unzip-${engine}` };
    const first = await unzip(doc.name, {}, undefined, headers);
    assert.equal(first.status, 200, first.text);
    const before = await count();
    const second = await unzip(doc.name, {}, undefined, headers);
    assert.equal(second.text, first.text);
    assert.deepEqual(await count(), before);
  });

  test('bombs are refused by what they say of themselves', async () => {
    const zeros = '\0'.repeat(150_000);
    const ratio = Array.from({ length: 20 }, (_, index) => ({ path: `${index}`, text: zeros }));
    await refuses(await pack(ratio), 'its ratio');
    await refuses(
      await pack([{ path: 'huge', text: '\0'.repeat(300_000) }]),
      'one file',
      'MaxFileSizeReachedError',
    );
    const many = Array.from({ length: LIMITS.unzipEntries + 1 }, (_, index) => ({
      path: `${index}`,
      text: '',
    }));
    await refuses(await pack(many), 'its entries');
  });

  test('what the user has no room for is refused before anything is unpacked', async () => {
    const tight = await startFileSite(engine, {
      uploads: { maxBytes: MAX_BYTES, defaultPrivate: false, perUserBytes: MAX_BYTES, stripMetadata: true },
    });
    try {
      const text = 'x'.repeat(MAX_BYTES / 2);
      const zip = await pack(['a', 'b', 'c'].map((name) => ({ path: `${name}.txt`, text })));
      const doc = await tight.stored('some.zip', zip, {}, 'writer');
      let written = 0;
      const { storage } = tight.site;
      const put = storage.put.bind(storage);
      storage.put = (...given) => {
        written += 1;
        return put(...given);
      };
      const path = '/api/method/frappe.core.api.file.unzip_file';
      const reply = await tight.request('POST', path, { body: { name: doc.name }, as: 'writer' });
      assertEnvelope(reply, 'FileQuotaExceeded');
      assert.equal(written, 0);
      assert.equal(await tight.keys(), 1);
    } finally {
      await tight.stop();
    }
  });

  test('archives that lie are refused while they are read', async () => {
    const zeros = { path: 'zeros', text: '\0'.repeat(190_000) };
    const honest = await pack([zeros, { path: 'more.txt', text: 'more' }]);
    const small = Buffer.from(honest);
    const directory = small.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    small.writeUInt32LE(10, directory + 24);
    await refuses(small, 'a size that is too small');
    const sum = Buffer.from(honest);
    sum.writeUInt32LE(1, directory + 16);
    await refuses(sum, 'another check sum');
    const broken = Buffer.from(honest);
    broken.fill(0xff, 60, 100);
    await refuses(broken, 'damaged bytes');
    const shared = Buffer.from(honest);
    shared.writeUInt32LE(shared.length, directory + 42);
    await refuses(shared, 'a header outside');
    for (const end of [0, 1, 21, 22, 100, honest.length - 1]) {
      await refuses(honest.subarray(0, end), `cut at ${end}`);
    }
    await refuses(Buffer.from('PK no zip at all'), 'no zip');
  });

  test('paths that lead out, links and passwords are refused', async () => {
    for (const path of ['../up.txt', '/abs.txt', 'a/../../b.txt', 'C:/x.txt', 'a\\b.txt']) {
      const stand = 'x'.repeat(path.length);
      const bytes = await pack([
        { path: 'fine.txt', text: 'fine' },
        { path: stand, text: 'y' },
      ]);
      await refuses(Buffer.from(bytes.toString('latin1').replaceAll(stand, path), 'latin1'), path);
    }
    await refuses(await pack([{ path: 'link', text: '/etc/passwd', mode: 0o120777 }]), 'a link');
    const locked = await pack([{ path: 'a.txt', text: 'A' }]);
    const directory = locked.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    locked.writeUInt16LE(locked.readUInt16LE(directory + 8) | 1, directory + 8);
    await refuses(locked, 'a password');
    const odd = await pack([{ path: 'a.txt', text: 'A' }]);
    odd.writeUInt16LE(97, directory + 10);
    await refuses(odd, 'an unknown compression');
    await refuses(await pack([{ path: `${'p'.repeat(5000)}/a`, text: 'A' }]), 'a long path');
    await refuses(await pack([{ path: '\u202e', text: 'A' }]), 'a name of nothing');
  });
});
