/** Folders: made, listed, moved and renamed with what is in them, on both engines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ident, join, sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const API = 'frappe.core.api.file.';

describeEither('folders', fileSite(), (files) => {
  const call = (method: string, body: Record<string, unknown>, as?: string): Promise<TestReply> =>
    files.request('POST', `/api/method/${method}`, { body, as });
  const make = async (path: string, as?: string): Promise<string> => {
    const cut = path.lastIndexOf('/');
    const args = { file_name: path.slice(cut + 1), folder: path.slice(0, cut) };
    const reply = await call(`${API}create_new_folder`, args, as);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.message.name, path);
    return path;
  };
  const move = (names: readonly string[], to: string, as?: string) =>
    call(
      `${API}move_file`,
      { file_list: JSON.stringify(names.map((name) => ({ name }))), new_parent: to },
      as,
    );
  const rename = (name: string, title: string, as?: string) =>
    call('chancery.rename_folder', { name, file_name: title }, as);
  const admin = () => `token ${files.adminKey}`;
  const folderOf = async (name: string) => (await files.get(file(name), admin())).body.data?.folder;
  const list = async (folder: string, more = '', as = admin()) => {
    const query = new URLSearchParams({ folder });
    const reply = await files.get(`/api/method/${API}get_files_in_folder?${query}${more}`, as);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message;
  };

  test('a folder is made once, and asked for again it is the same', async () => {
    await make('Home/Made');
    await make('Home/Made');
    const bare = await call(`${API}create_new_folder`, { file_name: 'Bare' });
    assert.equal(bare.body.message.name, 'Home/Bare');
    for (const [args, type] of [
      [{ file_name: 'a/b', folder: 'Home' }, 'ValidationError'],
      [{ file_name: '..', folder: 'Home' }, 'MandatoryError'],
      [{ file_name: 'x\u202ey', folder: 'Home' }, 'ValidationError'],
      [{ file_name: 'x', folder: 'Home/Nowhere' }, 'LinkValidationError'],
      [{ file_name: 'x'.repeat(140), folder: 'Home' }, 'ValidationError'],
      [{ folder: 'Home' }, 'ValidationError'],
    ] as const) {
      assertEnvelope(await call(`${API}create_new_folder`, args), type);
    }
    const doc = await files.stored('no-folder.txt', 'x');
    assertEnvelope(
      await call(`${API}create_new_folder`, { file_name: 'x', folder: doc.name }),
      'LinkValidationError',
    );
  });

  test('folders lie in folders to a depth, and a user makes only so many', async () => {
    let path = 'Home';
    for (let depth = 1; depth <= LIMITS.folderDepth; depth += 1) path = await make(`${path}/d`);
    const deeper = { file_name: 'd', folder: path };
    assertEnvelope(await call(`${API}create_new_folder`, deeper), 'ValidationError');
    await make('Home/Deep');
    await make('Home/Deep/er');
    const tooDeep = await move(['Home/Deep'], path.slice(0, -'/d'.length));
    assertEnvelope(tooDeep, 'ValidationError');
    assert.equal((await files.get(file('Home/Deep/er'), admin())).status, 200);

    const many = await files.createUser('many@example.com', []);
    const rows = Array.from({ length: LIMITS.foldersPerUser - 1 }, (_, index) => {
      return sql`(${`Home/m${index}`}, ${`m${index}`}, 'Home', 'many@example.com', 1, '2026-01-01 00:00:00.000000')`;
    });
    await files.site.database.transaction((db) =>
      db.run(
        sql`insert into ${ident('File')} (name, file_name, folder, owner, is_folder, creation) values ${join(rows)}`,
      ),
    );
    await make('Home/last', many);
    const one = { file_name: 'one', folder: 'Home' };
    assertEnvelope(await call(`${API}create_new_folder`, one, many), 'ValidationError');
  });

  test('the list of a folder counts what is in its folders, as far as one may see it', async () => {
    await make('Home/List');
    await make('Home/List/b');
    await make('Home/List/a');
    const inA = { folder: 'Home/List/a' };
    await files.stored('public.txt', 'x', inA);
    await files.stored('private.txt', 'x', { ...inA, is_private: '1' });
    await files.stored('own.txt', 'x', { folder: 'Home/List', is_private: '1' }, 'writer');
    const seen = await list('Home/List');
    assert.deepEqual(
      seen.files.map((row: { name: string; file_name: string; count?: number }) => [
        row.file_name,
        row.count,
      ]),
      [
        ['a', 2],
        ['b', 0],
        ['own.txt', undefined],
      ],
    );
    assert.deepEqual([seen.has_more, seen.total], [false, 3]);
    const others = await list('Home/List', '', 'outsider');
    assert.deepEqual(
      others.files.map((row: { file_name: string; count?: number }) => [row.file_name, row.count]),
      [
        ['a', 1],
        ['b', 0],
      ],
    );
    const page = await list('Home/List', '&start=1&page_length=1');
    assert.deepEqual([page.files.length, page.files[0].name, page.has_more], [1, 'Home/List/b', true]);
    const last = await list('Home/List', '&start=2&page_length=1');
    assert.deepEqual([last.files[0].file_name, last.has_more], ['own.txt', false]);
    assert.deepEqual(await list('Home/Nowhere'), { files: [], has_more: false, total: 0 });
    for (const bad of ['&page_length=-1', '&page_length=1001', '&start=x', '&start=1.5']) {
      const reply = await files.get(`/api/method/${API}get_files_in_folder?folder=Home${bad}`, admin());
      assertEnvelope(reply, 'ValidationError');
    }
    assert.equal((await files.get(`/api/method/${API}get_files_in_folder?folder=Home`)).status, 403);
  });

  test('files move between folders with the right to write them', async () => {
    await make('Home/To');
    const own = await files.stored('mv.txt', 'x', {}, 'writer');
    const other = await files.stored('mv2.txt', 'x', {}, 'outsider');
    assert.equal((await move([own.name], 'Home/To', 'writer')).status, 200);
    assert.equal(await folderOf(own.name), 'Home/To');
    assertEnvelope(await move([own.name, other.name], 'Home', 'writer'), 'PermissionError');
    assert.equal(await folderOf(own.name), 'Home/To', 'a move of several is one');
    assertEnvelope(await move([own.name], 'Home/Nowhere', 'writer'), 'LinkValidationError');
    assertEnvelope(await move([own.name], other.name, 'writer'), 'LinkValidationError');
    assertEnvelope(await move(Array(1001).fill(own.name), 'Home'), 'ValidationError');
    assertEnvelope(
      await call(`${API}move_file`, { file_list: '[true]', new_parent: 'Home' }),
      'ValidationError',
    );
  });

  test('a folder moves with all below it, and nothing else', async () => {
    await make('Home/P');
    await make('Home/P/q');
    await make('Home/P/q/r');
    await make('Home/Px');
    await make('Home/Other');
    const deep = await files.stored('deep.txt', 'x', { folder: 'Home/P/q/r', is_private: '1' }, 'outsider');
    const near = await files.stored('near.txt', 'x', { folder: 'Home/Px' });
    const moved = await move(['Home/P'], 'Home/Other');
    assert.equal(moved.status, 200, moved.text);
    assert.equal(await folderOf('Home/Other/P'), 'Home/Other');
    assert.equal(await folderOf('Home/Other/P/q/r'), 'Home/Other/P/q');
    assert.equal(await folderOf(deep.name), 'Home/Other/P/q/r');
    assert.equal(await folderOf(near.name), 'Home/Px');
    for (const gone of ['Home/P', 'Home/P/q', 'Home/P/q/r'])
      assert.equal((await files.get(file(gone), admin())).status, 404, gone);
    assert.equal((await files.get(deep.file_url, 'outsider')).status, 200);

    const renamed = await rename('Home/Other/P', 'Neu ü');
    assert.equal(renamed.body.message.name, 'Home/Other/Neu ü');
    assert.equal(renamed.body.message.file_name, 'Neu ü');
    assert.equal(await folderOf(deep.name), 'Home/Other/Neu ü/q/r');
    assert.equal((await rename('Home/Other/Neu ü', 'Neu ü')).status, 200);
  });

  test('what is not allowed to move stays', async () => {
    await make('Home/S');
    await make('Home/S/t');
    await make('Home/S2');
    await make('Home/S2/t');
    for (const name of ['Home', 'Home/Attachments']) {
      assertEnvelope(await move([name], 'Home/S'), 'ValidationError');
      assertEnvelope(await rename(name, 'X'), 'ValidationError');
    }
    assertEnvelope(await move(['Home/S'], 'Home/S'), 'ValidationError');
    assertEnvelope(await move(['Home/S'], 'Home/S/t'), 'ValidationError');
    assertEnvelope(await move(['Home/S2/t'], 'Home/S'), 'DuplicateEntryError');
    assertEnvelope(await rename('Home/S', 'S2'), 'DuplicateEntryError');
    assertEnvelope(await rename('Home/S', 'a/b'), 'ValidationError');
    assertEnvelope(await move(['Home/S'], 'Home/Attachments', 'writer'), 'PermissionError');
    assertEnvelope(await rename('Home/S', 'mine', 'writer'), 'PermissionError');
    const doc = await files.stored('no-folder.txt', 'x', { is_private: '1' }, 'outsider');
    const known = await rename(doc.name, 'x', 'writer');
    assertEnvelope(known, 'ValidationError');
    const unknown = await rename('0123456789', 'x', 'writer');
    assert.equal(unknown.text.replaceAll('0123456789', doc.name), known.text);
    const put = await files.request('PUT', file('Home/S'), { body: { folder: 'Home/S2' } });
    assertEnvelope(put, 'CannotChangeConstantError');
    const door = { doctype: 'File', old_name: 'Home/S', new_name: 'Elsewhere' };
    assertEnvelope(await call('frappe.client.rename_doc', door), 'ValidationError');
    assert.equal(await folderOf('Home/S/t'), 'Home/S');
  });

  test('two moves at a time close no circle, and no file loses its folder', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [`Home/A${round}`, `Home/B${round}`];
      await make(a);
      await make(b);
      const replies = await Promise.all([
        move([a], b),
        move([b], a),
        files.upload('in-a.txt', 'x', { folder: a }),
        files.upload('in-b.txt', 'x', { folder: b }),
        call(`${API}create_new_folder`, { file_name: 'sub', folder: a }),
        files.request('DELETE', file(b)),
      ]);
      for (const reply of replies) assert.ok(reply.status < 500, `${reply.status} ${reply.text}`);
    }
    const reply = await files.get(
      `/api/resource/File?fields=${JSON.stringify(['name', 'folder', 'is_folder'])}&limit_page_length=5000`,
      admin(),
    );
    const rows: { name: string; folder: string | null; is_folder: number }[] = reply.body.data;
    const folders = new Set(rows.filter((row) => row.is_folder === 1).map((row) => row.name));
    for (const row of rows) {
      if (row.name !== 'Home') assert.ok(folders.has(row.folder ?? ''), JSON.stringify(row));
      if (row.is_folder === 1 && row.folder) assert.ok(row.name.startsWith(`${row.folder}/`), row.name);
    }
  });

  test('files are found by their names, and those of documents by document', async () => {
    await make('Home/Find');
    const doc = await files.stored('needle 50%.txt', 'x', { folder: 'Home/Find', is_private: '1' }, 'writer');
    await files.stored('needle 500.txt', 'x');
    const find = async (text: string, as: string, folder = '') => {
      const query = new URLSearchParams({ text, folder });
      const reply = await files.get(`/api/method/${API}get_files_by_search_text?${query}`, as);
      return reply.body.message.map((row: { file_name: string }) => row.file_name).sort();
    };
    assert.deepEqual(await find('Needle', 'writer'), ['needle 50%.txt', 'needle 500.txt']);
    assert.deepEqual(await find('50%', 'writer'), ['needle 50%.txt']);
    assert.deepEqual(await find('needle', 'outsider'), ['needle 500.txt']);
    assert.deepEqual(await find('needle', 'writer', 'Home/Find'), ['needle 50%.txt']);
    assert.deepEqual(await find(doc.name, 'writer'), ['needle 50%.txt']);
    assert.deepEqual(await find('', 'writer'), []);

    const note = await files.create('Note', { name: '__proto__' });
    const onNote = await files.stored('i.png', 'x', { doctype: 'Note', docname: note, is_private: '1' });
    const images = async (as: string) =>
      (await call(`${API}get_attached_images`, { doctype: 'Note', names: [note, 'none'] }, as)).text;
    assert.equal(await images('reader'), `{"message":{"__proto__":["${onNote.file_url}"]}}`);
    assert.equal(await images('outsider'), '{"message":{}}');
  });
});
