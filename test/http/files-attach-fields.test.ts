/** Attach fields: what a save puts into them is attached to the document, by the right to read it, on both engines. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, PNG } from '../support/files.ts';
import { assertEnvelope } from '../support/wire.ts';

const PICTURE = {
  name: 'Picture',
  module: 'Notes',
  custom: 1,
  istable: 1,
  fields: [
    { fieldname: 'image', label: 'Image', fieldtype: 'Attach Image' },
    { fieldname: 'caption', label: 'Caption', fieldtype: 'Data' },
  ],
};
const ALBUM = {
  name: 'Album',
  module: 'Notes',
  custom: 1,
  autoname: 'hash',
  allow_rename: 1,
  is_submittable: 1,
  fields: [
    { fieldname: 'cover', label: 'Cover', fieldtype: 'Attach Image', allow_on_submit: 1 },
    { fieldname: 'back', label: 'Back', fieldtype: 'Attach' },
    { fieldname: 'pictures', label: 'Pictures', fieldtype: 'Table', options: 'Picture' },
    { fieldname: 'amended_from', label: 'Amended From', fieldtype: 'Link', options: 'Album', no_copy: 1 },
  ],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
    { role: 'Note Writer', read: 1, write: 1, create: 1 },
    { role: 'Note Reader', read: 1 },
  ],
};

describeEither('attach fields', fileSite(), (files) => {
  let count = 0;
  before(async () => {
    for (const body of [PICTURE, ALBUM]) {
      await files.make('DocType', body);
    }
  });

  const admin = () => `token ${files.adminKey}`;
  const secret = (as?: string) => {
    count += 1;
    return files.stored(
      `secret-${count}.png`,
      Buffer.concat([PNG, Buffer.from(`${count}`)]),
      { is_private: '1' },
      as,
    );
  };
  async function album(fields: Record<string, unknown>, as = admin()) {
    return files.make('Album', fields, as);
  }
  async function attachedTo(name: string) {
    const query = new URLSearchParams({
      fields: '["name","file_url","attached_to_field","owner"]',
      filters: JSON.stringify([
        ['attached_to_doctype', '=', 'Album'],
        ['attached_to_name', '=', name],
      ]),
      order_by: 'attached_to_field asc',
    });
    const { body } = await files.get(`/api/resource/File?${query}`, admin());
    return body.data as { name: string; file_url: string; attached_to_field: string; owner: string }[];
  }

  test('the File that was uploaded for it is claimed, and readers of the document may open it', async () => {
    const doc = await secret('writer');
    assertEnvelope(await files.get(doc.file_url, 'reader'), 'PermissionError');
    const { name } = await album({ cover: doc.file_url }, 'writer');
    const [claimed, ...others] = await attachedTo(name);
    assert.deepEqual(others, []);
    assert.equal(claimed?.name, doc.name);
    assert.equal(claimed?.attached_to_field, 'cover');
    assert.equal((await files.get(doc.file_url, 'reader')).status, 200);
    assertEnvelope(await files.get(doc.file_url, 'outsider'), 'PermissionError');
  });

  test('one attached without a field gets it, and none is made twice', async () => {
    const { name } = await album({});
    const doc = await files.stored('later.png', PNG, { doctype: 'Album', docname: name });
    for (let time = 0; time < 2; time += 1) {
      await files.ok('PUT', `/api/resource/Album/${name}`, { body: { cover: doc.file_url } });
    }
    const found = await attachedTo(name);
    assert.deepEqual(
      found.map((row) => [row.name, row.attached_to_field]),
      [[doc.name, 'cover']],
    );
  });

  test('set_value and rows attach too; what others have gets a File of its own', async () => {
    const doc = await secret('writer');
    const first = await album({ cover: doc.file_url }, 'writer');
    const second = await album({}, 'writer');
    await files.call(
      'frappe.client.set_value',
      { doctype: 'Album', name: second.name, fieldname: 'back', value: doc.file_url },
      'writer',
    );
    const third = await album({ pictures: [{ image: doc.file_url }, { image: doc.file_url }] }, 'writer');
    for (const [name, field] of [
      [first.name, 'cover'],
      [second.name, 'back'],
      [third.name, 'image'],
    ]) {
      const found = await attachedTo(name);
      assert.deepEqual(
        found.map((row) => [row.file_url, row.attached_to_field]),
        [[doc.file_url, field]],
      );
    }
    await files.ok('DELETE', `/api/resource/Album/${first.name}`);
    assert.equal((await files.get(doc.file_url, 'reader')).status, 200);
  });

  test('documents that take the same two files in opposite orders do not stop each other', async () => {
    const [one, two] = [(await secret()).file_url, (await secret()).file_url];
    const saves = Array.from({ length: 12 }, (_, index) =>
      album(index % 2 === 0 ? { cover: one, back: two } : { cover: two, back: one }),
    );
    for (const { name } of await Promise.all(saves)) assert.equal((await attachedTo(name)).length, 2);
  });

  test('a url of bytes that the writer may not read stays a text, like one that means nothing', async () => {
    const doc = await secret();
    for (const url of [doc.file_url, '/private/files/no-such.png', '/files/no-such.png']) {
      const { name, cover } = await album({ cover: url }, 'writer');
      assert.equal(cover, url);
      assert.deepEqual(await attachedTo(name), []);
    }
    assertEnvelope(await files.get(doc.file_url, 'writer'), 'PermissionError');
    assertEnvelope(await files.get(doc.file_url, 'reader'), 'PermissionError');
  });

  test('a submitted document attaches what may change then, and its amendment has all of it', async () => {
    const [one, two] = [await secret(), await secret()];
    const { name } = await album({ back: one.file_url, docstatus: 1 });
    const put = (body: Record<string, unknown>) =>
      files.request('PUT', `/api/resource/Album/${name}`, { body });
    assert.equal((await put({ cover: two.file_url })).status, 200);
    assert.equal((await attachedTo(name)).length, 2);
    assert.equal((await put({ docstatus: 2 })).status, 200);
    const amended = await album({ back: one.file_url, cover: two.file_url, amended_from: name });
    assert.deepEqual(
      (await attachedTo(amended.name)).map((row) => [row.file_url, row.attached_to_field]),
      [
        [one.file_url, 'back'],
        [two.file_url, 'cover'],
      ],
    );
  });

  test('turning private or public moves the url in fields and rows', async () => {
    const doc = await secret();
    const { name } = await album({ cover: doc.file_url, pictures: [{ image: doc.file_url, caption: 'a' }] });
    const before = await files.request('GET', `/api/resource/Album/${name}`);
    const { body } = await files.request('PUT', file(doc.name), { body: { is_private: 0 } });
    assert.match(body.data.file_url, /^\/files\//);
    const after = await files.request('GET', `/api/resource/Album/${name}`);
    assert.equal(after.body.data.cover, body.data.file_url);
    assert.equal(after.body.data.pictures[0].image, body.data.file_url);
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
  });

  test('the files follow a rename, and a deleted File leaves no url behind', async () => {
    const doc = await secret();
    const { name } = await album({ cover: doc.file_url, pictures: [{ image: doc.file_url }] });
    await files.call('frappe.client.rename_doc', {
      doctype: 'Album',
      old_name: name,
      new_name: `${name}-new`,
    });
    assert.equal((await attachedTo(`${name}-new`)).length, 1);
    await files.ok('DELETE', file(doc.name));
    const { body } = await files.request('GET', `/api/resource/Album/${name}-new`);
    assert.equal(body.data.cover, undefined);
    assert.equal(body.data.pictures[0].image, undefined);
  });

  test('a document takes no more files by its fields than its doctype allows', async () => {
    const docname = await files.create('Case', { subject: 'full' });
    for (const name of ['1.txt', '2.txt']) await files.stored(name, name, { doctype: 'Case', docname });
    const doc = await secret();
    const body = { photo: doc.file_url };
    const refused = await files.request('PUT', `/api/resource/Case/${docname}`, { body });
    assertEnvelope(refused, 'AttachmentLimitReached');
  });
});
