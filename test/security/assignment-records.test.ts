/**
 * What the standard records keep to themselves: users their roles and keys, files their bytes, copies and
 * rows their place.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';

const WRITER = { role: 'Writer', read: 1, write: 1, create: 1, submit: 1, cancel: 1, amend: 1 };
const ROW = {
  name: 'Leaflet Row',
  istable: 1,
  fields: [
    { fieldname: 'note', fieldtype: 'Data' },
    { fieldname: 'bonus', fieldtype: 'Int', permlevel: 1, default: '7' },
  ],
};
const LEAFLET = {
  name: 'Leaflet',
  autoname: 'Prompt',
  is_submittable: 1,
  allow_rename: 1,
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'salary', fieldtype: 'Int', permlevel: 1, default: '7' },
    { fieldname: 'rows', fieldtype: 'Table', options: 'Leaflet Row' },
  ],
  permissions: [{ ...WRITER, role: 'System Manager', delete: 1 }, WRITER],
};
const OWNED = {
  owner: 'Guest',
  creation: '2001-01-01 00:00:00',
  modified_by: 'Guest',
  idx: 9,
  _liked_by: '["x"]',
  salary: 9,
};

const SITE = { doctypes: [ROW, LEAFLET], users: { wil: ['Writer'] } };

describeEither('mass assignment of records', SITE, (site) => {
  before(async () => {
    for (const name of ['mine', 'other'])
      await make('Leaflet', { name, title: name, rows: [{ note: name }] });
  });

  async function make(doctype: string, body: object) {
    return site.make(doctype, body);
  }
  const as = (verb: string, path: string, body: unknown): Promise<TestReply> =>
    site.request(verb, path, { as: 'wil', body });
  const call = (method: string, body: object) => as('POST', `/api/method/${method}`, body);
  const read = async (path: string) => await site.ok('GET', `/api/resource/${path}`);
  const pick = (doc: Record<string, unknown>, keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, doc[key] ?? null]));

  test('users give themselves no roles, keys, type, address or name', async () => {
    const keys = [
      'roles',
      'user_type',
      'role_profile_name',
      'enabled',
      'email',
      'username',
      'api_key',
      'restrict_ip',
    ];
    const kept = [...keys, 'login_after', 'simultaneous_sessions', 'owner', 'creation', 'last_ip'];
    const before = pick(await read('User/wil@example.com'), kept);
    const wanted = {
      roles: [{ role: 'System Manager' }, { role: 'Administrator' }],
      role_profile_name: 'All',
      user_type: 'Website User',
      enabled: 0,
      email: 'boss@example.com',
      username: 'administrator',
      api_key: 'chosen',
      api_secret: 'chosen too',
      restrict_ip: '10.0.0.0/8',
      login_after: 5,
      simultaneous_sessions: 99,
      last_ip: '1.2.3.4',
      ...OWNED,
    };
    const place = { doctype: 'User', name: 'wil@example.com' };
    for (const one of [wanted, ...Object.entries(wanted).map(([key, value]) => ({ [key]: value }))]) {
      const doors = [
        () => as('PUT', '/api/resource/User/wil@example.com', one),
        () => as('PATCH', '/api/v2/document/User/wil@example.com', one),
        () => call('frappe.client.set_value', { ...place, fieldname: one }),
        () => call('frappe.client.set_value', { ...place, fieldname: JSON.stringify(one) }),
        () => call('frappe.client.save', { doc: { ...place, ...one } }),
        () => call('bulk_update', { docs: [{ ...place, ...one }] }),
      ];
      for (const send of one === wanted ? doors : doors.slice(0, 1)) {
        const reply = await send();
        assert.ok(reply.status < 500, reply.text);
        assert.deepEqual(pick(await read('User/wil@example.com'), kept), before, JSON.stringify(one));
      }
    }
    // Roles are above their level: passed over.
    const row = await call('frappe.client.insert', {
      doc: {
        doctype: 'Has Role',
        parenttype: 'User',
        parent: 'wil@example.com',
        parentfield: 'roles',
        role: 'System Manager',
      },
    });
    assert.ok(row.status < 500, row.text);
    // Nor others, nor by the back: the rows of roles, a role of their own making, a new user.
    for (const reply of [
      await as('PUT', '/api/resource/User/Administrator', { first_name: 'x' }),
      await as('POST', '/api/resource/User', {
        email: 'new@example.com',
        first_name: 'x',
        roles: wanted.roles,
      }),
      await as('POST', '/api/resource/Has%20Role', { parent: 'wil@example.com', role: 'System Manager' }),
      await as('POST', '/api/resource/Custom%20DocPerm', { parent: 'User', role: 'Writer', write: 1 }),
    ]) {
      assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
    }
    assert.deepEqual(pick(await read('User/wil@example.com'), kept), before);
    assert.equal((await as('GET', '/api/resource/Webhook', undefined)).status, 403);
  });

  test('a file is what its bytes are, and no way to bytes of others', async () => {
    const hidden = await make('File', {
      file_name: 'kept.txt',
      content: 'somebody else’s',
      is_private: 1,
      attached_to_doctype: 'User',
      attached_to_name: 'wil@example.com',
    });
    const sent = {
      file_size: 9,
      content_hash: 'x',
      file_type: 'EXE',
      is_home_folder: 1,
      is_attachments_folder: 1,
      ...OWNED,
    };
    const file = (
      await as('POST', '/api/resource/File', { file_name: 'a.txt', content: 'abc', is_private: 1, ...sent })
    ).body.data;
    const keys = [
      'file_size',
      'content_hash',
      'file_type',
      'is_home_folder',
      'owner',
      'file_url',
      'idx',
      'is_private',
    ];
    assert.deepEqual(
      [file.file_size, file.file_type, file.owner, file.is_home_folder],
      [3, 'TXT', 'wil@example.com', 0],
    );
    assert.match(file.content_hash, /^[0-9a-f]{64}$/);
    const more = [
      sent,
      { file_url: '/private/files/../../etc/passwd' },
      { file_url: hidden.file_url === file.file_url ? '/files/x' : '/private/files/other.txt' },
      { attached_to_doctype: 'User', attached_to_name: 'Administrator' },
      { is_folder: 1 },
    ];
    for (const fields of more) {
      await as('PUT', `/api/resource/File/${file.name}`, fields);
      await call('frappe.client.set_value', { doctype: 'File', name: file.name, fieldname: fields });
      const now = await read(`File/${file.name}`);
      assert.deepEqual(pick(now, keys), pick(file, keys), JSON.stringify(fields));
      assert.equal(now.attached_to_name ?? null, null);
    }
    const form = new FormData();
    form.set('file', new Blob(['xyz']), 'b.txt');
    for (const [key, value] of Object.entries({ ...sent, is_private: '1', file_url: '/files/other.txt' })) {
      form.set(key, String(value));
    }
    const uploaded = await site.request('POST', '/api/method/upload_file', { as: 'wil', body: form });
    if (uploaded.status === 200) {
      const { message } = uploaded.body;
      assert.deepEqual([message.file_size, message.owner, message.idx], [3, 'wil@example.com', 0]);
      assert.notEqual(message.file_url, '/files/other.txt');
    } else assert.ok(uploaded.status < 500, uploaded.text);
    for (const doctype of ['User', 'Role', 'DocType', 'Leaflet Row']) {
      const target = {
        doctype,
        docname: doctype === 'User' ? 'Administrator' : 'Writer',
        filename: 'c.txt',
        filedata: 'c',
      };
      const reply = await call('frappe.client.attach_file', { ...target, docfield: 'user_image' });
      assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
    }
  });

  test('a row is put under the parent that its door says, and stays there', async () => {
    const [row] = (await read('Leaflet/mine')).rows;
    const [foreign] = (await read('Leaflet/other')).rows;
    const place = {
      ...OWNED,
      parent: 'other',
      parenttype: 'User',
      parentfield: 'roles',
      idx: 7,
      docstatus: 1,
      bonus: 9,
    };
    await call('frappe.client.set_value', {
      doctype: 'Leaflet Row',
      name: row.name,
      fieldname: { note: 'new', ...place },
    });
    const [now] = (await read('Leaflet/mine')).rows;
    const keys = [
      'name',
      'parent',
      'parenttype',
      'parentfield',
      'idx',
      'docstatus',
      'bonus',
      'owner',
      'creation',
    ];
    assert.deepEqual(pick(now, keys), pick(row, keys));
    assert.equal(now.note, 'new');
    const inserted = await call('frappe.client.insert', {
      doc: {
        ...place,
        doctype: 'Leaflet Row',
        name: foreign.name,
        parent: 'mine',
        parenttype: 'Leaflet',
        parentfield: 'rows',
      },
    });
    assert.equal(inserted.status, 200, inserted.text);
    const rows = (await read('Leaflet/mine')).rows;
    assert.deepEqual([rows.length, rows[1].idx, rows[1].bonus, rows[1].docstatus], [2, 2, 7, 0]);
    assert.notEqual(rows[1].name, foreign.name);
    assert.deepEqual((await read('Leaflet/other')).rows, [foreign]);
  });

  test('docstatus changes by transitions, which take their rights', async () => {
    for (const docstatus of [2, 3, -1, 1.5, 'x', [1], {}]) {
      const reply = await as('POST', '/api/resource/Leaflet', { name: 'no', docstatus });
      assert.equal(reply.status, 417, `${docstatus}: ${reply.text}`);
    }
    await as('PUT', '/api/resource/Leaflet/mine', { docstatus: 2 });
    assert.equal((await read('Leaflet/mine')).docstatus, 0);
    const value = await call('frappe.client.set_value', {
      doctype: 'Leaflet',
      name: 'mine',
      fieldname: { docstatus: 1 },
    });
    assert.deepEqual([value.status, value.body.message.docstatus], [200, 0]);
  });

  test('an amendment, a copy, a rename and a restored document have what the server gives them', async () => {
    await make('Leaflet', { name: 'done', title: 'done', docstatus: 1 });
    await site.request('PUT', '/api/resource/Leaflet/done', { body: { docstatus: 2 } });
    const doc = { ...OWNED, name: 'chosen', docstatus: 0, amended_from: 'other', parent: 'x' };
    const amended = await call('chancery.amend_document', { doctype: 'Leaflet', name: 'done', doc });
    assert.equal(amended.status, 200, amended.text);
    const made = await read(`Leaflet/${amended.body.message.name}`);
    assert.deepEqual(pick(made, ['name', 'owner', 'amended_from', 'salary', 'docstatus', '_liked_by']), {
      name: 'done-1',
      owner: 'wil@example.com',
      amended_from: 'done',
      salary: 7,
      docstatus: 0,
      _liked_by: null,
    });
    const copy = (await as('GET', '/api/v2/document/Leaflet/mine/copy', undefined)).body.data;
    for (const key of ['name', 'owner', 'creation', 'modified', 'salary', 'amended_from'])
      assert.ok(!copy[key], key);
    const renamed = await call('frappe.client.rename_doc', {
      doctype: 'Leaflet',
      old_name: 'other',
      new_name: 'moved',
      ...OWNED,
    });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(pick(await read('Leaflet/moved'), ['owner', 'salary', 'idx']), {
      owner: 'Administrator',
      salary: 7,
      idx: 0,
    });
    await make('Leaflet', { name: 'gone', title: 'gone' });
    await site.request('DELETE', '/api/resource/Leaflet/gone');
    const [{ name }] = await site.ok('GET', '/api/resource/Deleted Document?filters={"deleted_name":"gone"}');
    assert.equal((await call('chancery.restore_document', { name, doc: OWNED })).status, 403);
    await site.call('chancery.restore_document', { name, doc: { ...OWNED, name: 'x' } });
    assert.deepEqual(pick(await read('Leaflet/gone'), ['owner', 'docstatus', '_liked_by']), {
      owner: 'Administrator',
      docstatus: 0,
      _liked_by: null,
    });
  });
});
