/**
 * Nobody points a File, or an attach field, at bytes that they may not read: every door that takes an address
 * of a file.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';

const SECRET = 'the secret bytes';

describeEither('doors to the bytes of others', fileSite(), (files) => {
  let secret: { name: string; file_url: string; content_hash: string };
  let own: { name: string; file_url: string };
  let ownCase: string;
  before(async () => {
    const note = await files.create('Note', {}, 'writer');
    const on = { doctype: 'Note', docname: note, is_private: '1' };
    secret = await files.stored('secret.txt', SECRET, on, 'writer');
    own = await files.stored('own.txt', 'mine', { is_private: '1' }, 'outsider');
    ownCase = await files.create('Case', { subject: 'own' }, 'outsider');
  });

  const as = (method: string, path: string, body?: unknown): Promise<TestReply> =>
    files.request(method, path, { as: 'outsider', body });
  const call = (method: string, body: unknown) => as('POST', `/api/method/${method}`, body);
  const form = (fields: Readonly<Record<string, string>>, content?: string) => {
    const data = new FormData();
    for (const [key, value] of Object.entries(fields)) data.set(key, value);
    if (content !== undefined) data.set('file', new Blob([content]), 'sent.txt');
    return call('upload_file', data);
  };
  const onCase = () => ({ attached_to_doctype: 'Case', attached_to_name: ownCase });
  const inCase = () => ({ doctype: 'Case', docname: ownCase });

  /** Ways to write the address, each of which may be refused but never mean the secret. */
  const spellings = () => {
    const url = secret.file_url;
    const name = url.split('/').at(-1);
    return [
      url,
      ` ${url}`,
      `${url} `,
      `${url}?x`,
      `${url}#x`,
      `/files/${name}`,
      `/files/../private/files/${name}`,
      `/private/files/../files/../private/files/${name}`,
      `/private/files//${name}`,
      `/private//files/${name}`,
      `//private/files/${name}`,
      `/private/files/./${name}`,
      `/PRIVATE/files/${name}`,
      `/private/files/%73ecret.txt`,
      `/private/files/SECRET.TXT`,
      `\\private\\files\\${name}`,
      `private/files/${name}`,
      `./private/files/${name}`,
      `file://${url}`,
      `${files.url}${url}`,
      `${files.url.toUpperCase()}${url}`,
      `/api/method/download_file?file_url=${url}`,
    ];
  };

  const doors: Record<string, (url: string) => Promise<TestReply>> = {
    'a new File': (url) => as('POST', '/api/resource/File', { file_url: url, file_name: 'x.txt' }),
    'a new private File': (url) => as('POST', '/api/resource/File', { file_url: url, is_private: 1 }),
    'a new public File': (url) => as('POST', '/api/resource/File', { file_url: url, is_private: 0 }),
    'a new File on a document of one’s own': (url) =>
      as('POST', '/api/resource/File', { file_url: url, ...onCase() }),
    'a new File with what the server says': (url) =>
      as('POST', '/api/resource/File', {
        file_url: url,
        owner: 'outsider@example.com',
        content_hash: secret.content_hash,
        storage_key: 'x',
        sha256: secret.content_hash,
      }),
    'a new File with bytes': (url) =>
      as('POST', '/api/resource/File', { file_url: url, file_name: 'x.txt', content: 'y', is_private: 1 }),
    'a new File, second version': (url) => as('POST', '/api/v2/document/File', { file_url: url }),
    insert: (url) => call('frappe.client.insert', { doc: { doctype: 'File', file_url: url } }),
    insert_many: (url) =>
      call('frappe.client.insert_many', { docs: [{ doctype: 'File', file_url: url, is_private: 1 }] }),
    'a change': (url) => as('PUT', file(own.name), { file_url: url }),
    'a change, second version': (url) => as('PATCH', `/api/v2/document/File/${own.name}`, { file_url: url }),
    set_value: (url) =>
      call('frappe.client.set_value', { doctype: 'File', name: own.name, fieldname: 'file_url', value: url }),
    save: (url) => call('frappe.client.save', { doc: { doctype: 'File', name: own.name, file_url: url } }),
    bulk_update: (url) =>
      call('frappe.client.bulk_update', {
        docs: JSON.stringify([{ doctype: 'File', docname: own.name, file_url: url }]),
      }),
    'upload of an address': (url) => form({ file_url: url, is_private: '1' }),
    'upload of an address onto a document': (url) => form({ file_url: url, ...inCase() }),
    'upload of bytes beside an address': (url) => form({ file_url: url }, 'y'),
    'an attach field of a new document': (url) =>
      as('POST', '/api/resource/Case', { subject: 'x', photo: url }),
    'an attach field': (url) => as('PUT', `/api/resource/Case/${ownCase}`, { photo: url }),
    'an attach field by set_value': (url) =>
      call('frappe.client.set_value', { doctype: 'Case', name: ownCase, fieldname: 'photo', value: url }),
  };

  for (const [door, enter] of Object.entries(doors)) {
    test(`${door} leads nowhere`, async () => {
      for (const url of spellings()) {
        const reply = await enter(url);
        assert.ok(reply.status < 500, `${url}: ${reply.status} ${reply.text}`);
        await assertKept(reply, url);
      }
    });
  }

  const named: Record<string, () => Promise<TestReply>> = {
    'a library file': () => form({ library_file_name: secret.name }),
    'a library file, attached': () => form({ library_file_name: secret.name, ...inCase() }),
    'moving it onto a document of one’s own': () => as('PUT', file(secret.name), onCase()),
    'making it public': () => as('PUT', file(secret.name), { is_private: 0 }),
    'taking it over': () => as('PUT', file(secret.name), { owner: 'outsider@example.com' }),
    'making it a new File’s': () =>
      as('POST', '/api/resource/File', { name: secret.name, content: 'x', file_name: 'x' }),
    'copying it': () => as('GET', `/api/v2/document/File/${secret.name}/copy`),
    'a link to it': () => call('chancery.file_link', { name: secret.name }),
    'renaming one’s own to it': () =>
      call('frappe.client.rename_doc', {
        doctype: 'File',
        old_name: own.name,
        new_name: secret.name,
        merge: 1,
      }),
    'sharing it with oneself': () =>
      call('frappe.share.add', { doctype: 'File', name: secret.name, user: 'outsider@example.com' }),
    'the same bytes': () => form({ is_private: '1' }, SECRET),
  };
  for (const [door, enter] of Object.entries(named)) {
    test(`${door} leads nowhere`, async () => {
      const reply = await enter();
      assert.ok(reply.status < 500, `${reply.status} ${reply.text}`);
      await assertKept(reply, door);
    });
  }

  test('who may read it may use it', async () => {
    const body = { file_url: secret.file_url, is_private: 1 };
    const shared = await files.make('File', body, 'writer');
    assert.equal(shared.file_url, secret.file_url);
    const removed = await files.request('DELETE', file(shared.name), { as: 'writer' });
    assert.ok(removed.status < 300, removed.text);
  });

  async function assertKept(reply: TestReply, what: string): Promise<void> {
    assert.ok(!reply.text.includes(SECRET), what);
    const asked = await files.get(secret.file_url, 'outsider');
    assert.equal(asked.status, 403, `${what} opened it: ${reply.text}`);
    const filters = JSON.stringify({ file_url: secret.file_url });
    const rows = await files.request('GET', `/api/resource/File?filters=${encodeURIComponent(filters)}`);
    assert.deepEqual(
      rows.body.data.map((row: { name: string }) => row.name),
      [secret.name],
      `${what} made a File of it`,
    );
    assert.equal((await files.get(secret.file_url, 'writer')).text, SECRET, what);
  }
});
