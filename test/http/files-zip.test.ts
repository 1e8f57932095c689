/** A selection of files as one zip, streamed, on both engines. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import { sql } from '../../src/db/sql.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const PATH = '/api/method/frappe.core.api.file.zip_files';

describeEither('zip downloads', fileSite(), (files, engine) => {
  const admin = () => `token ${files.adminKey}`;
  const fetchZip = (names: readonly unknown[], as: string, method = 'GET') =>
    fetch(`${files.url}${PATH}?files=${encodeURIComponent(JSON.stringify(names))}`, {
      method,
      headers: { authorization: files.keyOf(as) },
    });
  const unpack = async (response: Response): Promise<Record<string, string>> => {
    assert.equal(response.status, 200);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(bytes.length));
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const found: Record<string, string> = {};
    for await (const entry of zip.eachEntry()) {
      const pieces: Buffer[] = [];
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
      found[entry.fileName] = Buffer.concat(pieces).toString();
    }
    return found;
  };
  const refused = (names: readonly unknown[], as: string) =>
    files.get(`${PATH}?files=${encodeURIComponent(JSON.stringify(names))}`, as);
  const folder = async (name: string, parent = 'Home') => {
    const body = { file_name: name, folder: parent, is_folder: 1 };
    await files.make('File', body);
    return `${parent}/${name}`;
  };

  test('files come under their names, each once, whatever they are called', async () => {
    const names = ['a.txt', 'A.txt', 'grüße 50%.txt', 'c:x?.txt', 'no-extension', '.hidden'];
    const docs = [];
    for (const name of names) docs.push(await files.stored(name, `in ${name}`, {}, 'writer'));
    const big = await files.stored('big.bin', 'x'.repeat(180_000), { is_private: '1' }, 'writer');
    const chosen = [...docs, big, docs[0]].map((doc, index) => (index % 2 ? { name: doc.name } : doc.name));
    const response = await fetchZip(chosen, 'writer');
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="files.zip"');
    const found = await unpack(response);
    assert.deepEqual(Object.keys(found), [
      'a.txt',
      'A (2).txt',
      'grüße 50%.txt',
      'c_x_.txt',
      'no-extension',
      '.hidden',
      'big.bin',
    ]);
    assert.equal(found['A (2).txt'], 'in A.txt');
    assert.equal(found['big.bin']?.length, 180_000);

    await files.ok('POST', PATH, { body: { files: [docs[0].name] }, as: 'writer' });
    const head = await fetchZip(chosen, 'writer', 'HEAD');
    assert.equal(head.headers.get('content-length'), response.headers.get('content-length'));
    assert.equal(await head.text(), '');
  });

  test('a folder comes with all below it that one may read', async () => {
    const top = await folder('Zip');
    const inner = await folder('inner', top);
    await folder('empty', top);
    await files.stored('same.txt', 'one', { folder: top });
    await files.stored('same.txt', 'two', { folder: top });
    await files.stored('deep.txt', 'deep', { folder: inner });
    await files.stored('own.txt', 'own', { folder: inner, is_private: '1' }, 'writer');
    const note = await files.create('Note', {});
    const onNote = { folder: inner, is_private: '1', doctype: 'Note', docname: note };
    await files.stored('note.txt', 'note', onNote);
    const paths = async (as: string) => Object.keys(await unpack(await fetchZip([top], as))).sort();
    const everybody = ['Zip/inner/deep.txt', 'Zip/same (2).txt', 'Zip/same.txt'];
    assert.deepEqual(await paths('outsider'), everybody);
    assert.deepEqual(await paths('reader'), [...everybody, 'Zip/inner/note.txt'].sort());
    assert.deepEqual(await paths('writer'), [...everybody, 'Zip/inner/note.txt', 'Zip/inner/own.txt'].sort());
  });

  test('no file has the path of a folder, and folders of one name stay apart', async () => {
    const top = await folder('Clash');
    const one = await folder('A', top);
    const other = await folder('A', await folder('B', top));
    await files.stored('A', 'a file', { folder: top });
    await files.stored('x.txt', 'one', { folder: one });
    await files.stored('x.txt', 'two', { folder: other });
    const packed = async (names: readonly string[]) => unpack(await fetchZip(names, admin()));
    assert.deepEqual(await packed([one, other]), { 'A/x.txt': 'one', 'A (2)/x.txt': 'two' });
    const paths = Object.keys(await packed([top]));
    assert.equal(paths.length, 3);
    for (const path of paths) {
      assert.ok(!paths.some((longer) => longer.startsWith(`${path}/`)), paths.join(' '));
    }
  });

  test('what one may not read is refused like what is not there', async () => {
    const open = await files.stored('open.txt', 'x');
    const hidden = await files.stored('hidden.txt', 'x', { is_private: '1' }, 'writer');
    const kept = await refused([open.name, hidden.name], 'outsider');
    assertEnvelope(kept, 'PermissionError');
    const unknown = await refused([open.name, '0123456789'], 'outsider');
    assert.equal(unknown.text.replaceAll('0123456789', hidden.name), kept.text);
    assert.equal((await files.get(`${PATH}?files=["${open.name}"]`)).status, 403);
    for (const names of [[], [true], [[]]]) assertEnvelope(await refused(names, admin()), 'ValidationError');
    const many = await files.request('POST', PATH, { body: { files: Array(1001).fill(open.name) } });
    assertEnvelope(many, 'ValidationError');
    assertEnvelope(await files.get(PATH, admin()), 'ValidationError');
    const empty = await folder('Nothing');
    assertEnvelope(await refused([empty], admin()), 'ValidationError');
    assert.equal((await files.request('DELETE', PATH)).status, 405);
  });

  test('a link to elsewhere has no bytes to pack', async () => {
    const { body } = await files.request('POST', '/api/resource/File', {
      body: { file_url: 'https://example.com/far.txt' },
    });
    const near = await files.stored('near.txt', 'x');
    assert.deepEqual(Object.keys(await unpack(await fetchZip([body.data.name, near.name], admin()))), [
      'near.txt',
    ]);
    assertEnvelope(await refused([body.data.name], admin()), 'ValidationError');
  });

  test('a file whose bytes are gone breaks the zip off, and the server goes on', async () => {
    const first = await files.stored('first.txt', 'y'.repeat(150_000));
    const lost = await files.stored('lost.txt', `lost on ${engine}`);
    const keys = await objects();
    await files.stored('kept.txt', `kept on ${engine}`);
    for (const key of await lostKey(keys, lost)) await files.site.storage.delete(key);
    const response = await fetchZip([first.name, lost.name], admin());
    assert.equal(response.status, 200);
    await assert.rejects(response.arrayBuffer());
    assert.equal((await files.get(file(first.name), admin())).status, 200);
  });

  test('a store that is away, or lost the first file, fails the call', async (t) => {
    const { name } = await files.stored('one.txt', 'one');
    const { storage } = files.site;
    const { open } = storage;
    t.after(() => Object.assign(storage, { open }));
    const away = new ServiceError(
      'ServiceUnavailableError',
      'The file storage is not available at the moment',
    );
    Object.assign(storage, { open: () => Promise.reject(away) });
    assertEnvelope(await refused([name], admin()), 'ServiceUnavailableError');
    assert.equal((await fetchZip([name], admin(), 'HEAD')).status, 503);
    Object.assign(storage, { open: async () => null });
    assertEnvelope(await refused([name], admin()), 'DoesNotExistError');
  });

  for (const [what, change, isBroken] of [
    ['deleted', remove, false],
    ['made private', makePrivate, false],
    ['replaced by another of its name', replace, false],
    ['made private, and the caller may not read it,', makePrivate, true],
  ] as const) {
    test(`a file ${what} while the zip is sent ${isBroken ? 'breaks it off' : 'is in it all the same'}`, async () => {
      const first = await files.stored('first.txt', `${what} first`);
      const second = await files.stored('second.txt', `${what} second`);
      const stop = whileOpening(() => change(second.name));
      try {
        const response = await fetchZip([first.name, second.name], isBroken ? 'outsider' : admin());
        if (isBroken) await assert.rejects(response.arrayBuffer());
        else
          assert.deepEqual(await unpack(response), {
            'first.txt': `${what} first`,
            'second.txt': `${what} second`,
          });
      } finally {
        stop();
      }
    });
  }

  test('a client that goes away in the middle leaves nothing open', async () => {
    const first = await files.stored('first away.txt', 'y'.repeat(190_000));
    const second = await files.stored('second away.txt', 'z'.repeat(190_001));
    const { storage } = files.site;
    const open = storage.open.bind(storage);
    // As a storage that takes its time.
    const slow = new Readable({ read: () => undefined });
    Object.assign(storage, {
      open: async (...args: Parameters<typeof open>) => {
        const object = await open(...args);
        if (!object || object.bytes !== second.file_size) return object;
        if (object.body instanceof Readable) object.body.destroy();
        return { ...object, body: slow };
      },
    });
    const response = await fetchZip([first.name, second.name], admin());
    const reader = response.body?.getReader();
    await reader?.read();
    await until(async () => slow.listenerCount('readable') + slow.listenerCount('data') > 0);
    assert.equal(slow.destroyed, false);
    await reader?.cancel();
    await until(async () => slow.destroyed);
    Object.assign(storage, { open });
  });

  async function remove(name: string): Promise<void> {
    const { database, storage } = files.site;
    const row = await database.reader.get(
      sql`select storage_key from _stored_file where file_url = (select file_url from "File" where name = ${name})`,
    );
    await files.ok('DELETE', file(name));
    await until(async () => (await storage.stat(String(row?.['storage_key']))) === null);
  }
  async function makePrivate(name: string): Promise<void> {
    await files.ok('PUT', file(name), { body: { is_private: 1 } });
  }
  async function replace(name: string): Promise<void> {
    await remove(name);
    await files.stored('second.txt', 'of another length');
  }
  /** Does it when the storage opens the next object. Returns how to stop waiting for that. */
  function whileOpening(work: () => Promise<void>): () => void {
    const { storage } = files.site;
    const { open } = storage;
    const stop = (): void => void Object.assign(storage, { open });
    Object.assign(storage, {
      open: async (...args: Parameters<typeof open>) => {
        stop();
        await work();
        return open(...args);
      },
    });
    return stop;
  }
  async function objects(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of files.site.storage.list()) found.push(key);
    return found;
  }
  async function lostKey(keys: readonly string[], lost: { file_size: number }): Promise<string[]> {
    const found: string[] = [];
    for (const key of keys) {
      const { bytes } = (await files.site.storage.stat(key)) ?? { bytes: -1 };
      if (bytes === lost.file_size) found.push(key);
    }
    return found;
  }
});
