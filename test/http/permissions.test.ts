import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { assertEnvelope } from '../support/wire.ts';

const ANN = 'ann@example.com';
const BEN = 'ben@example.com';
const FULL = { read: 1, write: 1, create: 1, delete: 1, share: 1 };

const SITE = {
  doctypes: [
    {
      name: 'Region',
      is_tree: 1,
      autoname: 'field:title',
      fields: [{ fieldname: 'title', fieldtype: 'Data', reqd: 1 }],
      permissions: [{ role: 'All', ...FULL }],
    },
    {
      name: 'Visit Stop',
      istable: 1,
      fields: [{ fieldname: 'region', fieldtype: 'Link', options: 'Region' }],
    },
    {
      name: 'Visit',
      autoname: 'field:title',
      allow_rename: 1,
      fields: [
        { fieldname: 'title', fieldtype: 'Data', reqd: 1 },
        { fieldname: 'region', fieldtype: 'Link', options: 'Region' },
        { fieldname: 'from_region', fieldtype: 'Link', options: 'Region', ignore_user_permissions: 1 },
        { fieldname: 'stops', fieldtype: 'Table', options: 'Visit Stop' },
      ],
      permissions: [
        { role: 'Visitor', ...FULL },
        { role: 'Author', ...FULL, if_owner: 1 },
        { role: 'System Manager', ...FULL },
      ],
    },
  ],
  users: { ann: ['Visitor'], ben: ['Author'], out: [] },
};

describeEither('permissions', SITE, (site) => {
  async function make(doctype: string, body: object, as?: string): Promise<string> {
    return (await site.ok('POST', `/api/resource/${doctype}`, { body, as })).name;
  }
  async function listed(as: string, doctype = 'Visit', more = ''): Promise<string[]> {
    return (
      await site.ok('GET', `/api/resource/${doctype}?order_by=name&limit_page_length=50${more}`, { as })
    ).map((row: { name: string }) => row.name);
  }
  const statusOf = async (verb: string, name: string, as: string, body?: object) =>
    (await site.request(verb, `/api/resource/Visit/${name}`, { as, body })).status;
  const call = (method: string, body: object, as?: string) =>
    site.request('POST', `/api/method/${method}`, { body, as });

  before(async () => {
    for (const [title, parent, is_group] of [
      ['World', '', 1],
      ['Asia', 'World', 1],
      ['India', 'Asia', 0],
      ['Europe', 'World', 0],
    ]) {
      await make('Region', { title, parent_region: parent, is_group });
    }
    await make('Visit', { title: 'a-asia', region: 'Asia' });
    await make('Visit', { title: 'b-india', region: 'India', stops: [{ region: 'India' }] });
    await make('Visit', { title: 'c-europe', region: 'Europe' });
    await make('Visit', { title: 'd-empty', from_region: 'Europe' });
    await make('Visit', {
      title: 'e-stop',
      region: 'Asia',
      stops: [{ region: 'India' }, { region: 'Europe' }],
    });
  });

  test('a User Permission narrows lists, counts, single documents, files, rows and links alike, at once', async () => {
    assert.equal((await listed('ann')).length, 5);
    const file = await site.request('POST', '/api/resource/File', {
      body: {
        file_name: 'x.txt',
        content: 'secret',
        is_private: 1,
        attached_to_doctype: 'Visit',
        attached_to_name: 'c-europe',
      },
    });
    const fileUrl: string = file.body.data.file_url;
    await site.ok('GET', fileUrl, { as: 'ann' });
    const permission = await make('User%20Permission', { user: ANN, allow: 'Region', for_value: 'Asia' });
    const seen = ['a-asia', 'b-india', 'd-empty'];
    assert.deepEqual(await listed('ann'), seen);
    const count = await site.request('GET', '/api/method/frappe.client.get_count?doctype=Visit', {
      as: 'ann',
    });
    assert.equal(count.body.message, seen.length);
    for (const name of ['a-asia', 'b-india', 'd-empty', 'c-europe', 'e-stop', 'missing']) {
      assert.equal(await statusOf('GET', name, 'ann'), seen.includes(name) ? 200 : 403, name);
    }
    for (const name of ['c-europe', 'e-stop', 'missing']) {
      assert.equal(await statusOf('PUT', name, 'ann', { title: name }), 403);
      assert.equal(await statusOf('DELETE', name, 'ann'), 403);
    }
    assert.equal((await site.request('GET', fileUrl, { as: 'ann' })).status, 403);
    assert.deepEqual(await listed('ann', 'File', '&filters=[["attached_to_doctype","=","Visit"]]'), []);
    // What is below counts too; the doctype itself is narrowed by name.
    assert.deepEqual(await listed('ann', 'Region'), ['Asia', 'India']);
    const rows = await site.request('GET', '/api/resource/Visit%20Stop?fields=["parent"]&parent=Visit', {
      as: 'ann',
    });
    assert.deepEqual(rows.body.data, [{ parent: 'b-india' }]);
    // Nobody moves or makes a document out of reach; a new one begins within it.
    assert.equal(await statusOf('PUT', 'a-asia', 'ann', { region: 'Europe' }), 403);
    assert.equal(await statusOf('PUT', 'a-asia', 'ann', { stops: [{ region: 'Europe' }] }), 403);
    assert.equal(
      (
        await site.request('POST', '/api/resource/Visit', {
          as: 'ann',
          body: { title: 'z', region: 'Europe' },
        })
      ).status,
      // As for a region that there is not.
      417,
    );
    const made = await site.request('POST', '/api/resource/Visit', { as: 'ann', body: { title: 'made' } });
    assert.equal(made.body.data.region, 'Asia', made.text);
    assert.equal(await statusOf('DELETE', 'made', 'ann'), 202);
    await site.request('PUT', `/api/resource/User%20Permission/${permission}`, {
      body: { hide_descendants: 1 },
    });
    assert.deepEqual(await listed('ann'), ['a-asia', 'd-empty']);
    await site.request('PUT', `/api/resource/User%20Permission/${permission}`, {
      body: { apply_to_all_doctypes: 0, applicable_for: 'Region' },
    });
    assert.equal((await listed('ann')).length, 5);
    assert.deepEqual(await listed('ann', 'Region'), ['Asia']);
    await site.request('DELETE', `/api/resource/User%20Permission/${permission}`);
    assert.equal((await listed('ann', 'Region')).length, 4);
  });

  test('who made a document keeps what if_owner gives', async () => {
    await make('Visit', { title: 'ben-europe', region: 'Europe' }, 'ben');
    const permission = await make('User%20Permission', { user: BEN, allow: 'Region', for_value: 'Asia' });
    assert.deepEqual(await listed('ben'), ['ben-europe']);
    assert.equal(await statusOf('GET', 'ben-europe', 'ben'), 200);
    assert.equal(await statusOf('PUT', 'ben-europe', 'ben', { from_region: 'Europe' }), 200);
    assert.equal(await statusOf('GET', 'a-asia', 'ben'), 403);
    await site.request('DELETE', `/api/resource/User%20Permission/${permission}`);
  });

  test('what a User Permission cannot say is refused', async () => {
    const refusals: [object, number][] = [
      [{ user: 'Administrator', allow: 'Region', for_value: 'Asia' }, 417],
      [{ user: ANN, allow: 'Region', for_value: 'Nowhere' }, 417],
      [{ user: ANN, allow: 'Visit Stop', for_value: 'x' }, 417],
      [{ user: ANN, allow: 'Region', for_value: 'Asia', apply_to_all_doctypes: 0 }, 417],
    ];
    for (const [body, status] of refusals) {
      const reply = await site.request('POST', '/api/resource/User%20Permission', { body });
      assert.equal(reply.status, status, reply.text);
    }
    const mine = await site.request('POST', '/api/resource/User%20Permission', {
      as: 'ann',
      body: { user: ANN, allow: 'Region', for_value: 'Asia' },
    });
    assert.equal(mine.status, 403);
  });

  test('a share opens one document, to its rights and no further', async () => {
    const refused = await site.request('GET', '/api/resource/Visit', { as: 'out' });
    assert.equal(refused.status, 403);
    const share = { doctype: 'Visit', name: 'a-asia', user: 'out@example.com' };
    assert.equal((await call('frappe.share.add', share, 'out')).status, 403);
    const added = await call('frappe.share.add', share, 'ann');
    assert.equal(added.status, 200, added.text);
    assert.deepEqual(await listed('out'), ['a-asia']);
    assert.equal(await statusOf('GET', 'a-asia', 'out'), 200);
    assert.equal(await statusOf('GET', 'b-india', 'out'), 403);
    assert.equal(await statusOf('PUT', 'a-asia', 'out', { from_region: 'Asia' }), 403);
    const users = await site.request('GET', '/api/method/frappe.share.get_users?doctype=Visit&name=a-asia', {
      as: 'ann',
    });
    assert.deepEqual(
      users.body.message.map((one: { user: string; write: number }) => [one.user, one.write]),
      [['out@example.com', 0]],
    );
    // With share one passes on what one has, and no more.
    await call('frappe.share.set_permission', { ...share, permission_to: 'share' }, 'ann');
    const more = await call('frappe.share.set_permission', { ...share, permission_to: 'write' }, 'out');
    assert.equal(more.status, 403, more.text);
    assert.equal((await call('frappe.share.add', { ...share, user: BEN }, 'out')).status, 200);
    assert.ok((await listed('ben')).includes('a-asia'));
    await call('frappe.share.set_permission', { ...share, permission_to: 'write' }, 'ann');
    assert.equal(await statusOf('PUT', 'a-asia', 'out', { from_region: 'Asia' }), 200);
    assert.equal(await statusOf('DELETE', 'a-asia', 'out'), 403);
    await call('frappe.share.set_permission', { ...share, permission_to: 'read', value: 0 }, 'ann');
    assert.equal((await site.request('GET', '/api/resource/Visit', { as: 'out' })).status, 403);
  });

  test('everyone is whoever is signed in; shares move with a rename and go with a delete', async () => {
    await make('Visit', { title: 'party' });
    await call('frappe.share.add', { doctype: 'Visit', name: 'party', everyone: 1 });
    assert.equal(await statusOf('GET', 'party', 'out'), 200);
    const rename = { doctype: 'Visit', old_name: 'party', new_name: 'feast' };
    assert.equal((await call('frappe.client.rename_doc', rename)).status, 200);
    assert.equal(await statusOf('GET', 'feast', 'out'), 200);
    await call('frappe.client.rename_doc', { doctype: 'Visit', old_name: 'feast', new_name: 'party' });
    const guest = await site.request('GET', '/api/resource/Visit/party', { as: null });
    assert.equal(guest.status, 403);
    assert.equal(await statusOf('DELETE', 'party', 'ann'), 202);
    await make('Visit', { title: 'party' });
    assert.equal(await statusOf('GET', 'party', 'out'), 403);
    assert.deepEqual(
      await listed(`token ${site.adminKey}`, 'DocShare', '&filters=[["share_name","=","party"]]'),
      [],
    );
  });

  test('Custom DocPerms replace those of the definition, follow their rules, and give way again', async () => {
    const own = { parent: 'Visit', role: 'Visitor', read: 1, write: 0, create: 0, delete: 0, share: 0 };
    const custom = await make('Custom%20DocPerm', own);
    assert.equal((await listed('ann')).length > 0, true);
    assert.equal(await statusOf('PUT', 'a-asia', 'ann', { from_region: 'Asia' }), 403);
    await site.ok('GET', '/api/resource/Visit', { as: 'ben' });
    assert.equal(
      (await site.request('POST', '/api/resource/Visit', { as: 'ben', body: { title: 'no' } })).status,
      403,
    );
    for (const body of [
      own,
      { parent: 'Visit', role: 'Author', write: 1, cancel: 1 },
      { parent: 'DocType', role: 'Author' },
      { parent: 'Visit', role: 'Author', import: 1, create: 0 },
    ]) {
      const reply = await site.request('POST', '/api/resource/Custom%20DocPerm', { body });
      assert.equal(reply.status, 417, reply.text);
    }
    const usual = await site.request('POST', '/api/resource/Custom%20DocPerm', {
      body: { parent: 'Visit', role: 'Author' },
    });
    const { read, write, submit } = usual.body.data;
    assert.deepEqual([read, write, submit], [0, 0, 0]);
    await site.ok('DELETE', `/api/resource/Custom%20DocPerm/${usual.body.data.name}`);
    await site.ok('DELETE', `/api/resource/Custom%20DocPerm/${custom}`);
    assert.equal(await statusOf('PUT', 'a-asia', 'ann', { from_region: 'Asia' }), 200);
  });

  test('a permission row without rights grants none', async () => {
    const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
    await make('DocType', { name: 'Shut', fields, permissions: [{ role: 'Visitor' }] });
    const one = `/api/resource/Shut/${await make('Shut', { title: 'x' })}`;
    const refusesAll = async () => {
      for (const [verb, path, body] of [
        ['GET', '/api/resource/Shut'],
        ['POST', '/api/resource/Shut', { title: 'y' }],
        ['GET', one],
        ['PUT', one, { title: 'y' }],
        ['DELETE', one],
      ] as const) {
        assertEnvelope(await site.request(verb, path, { as: 'ann', body }), 'PermissionError');
      }
    };
    await refusesAll();
    await make('Custom%20DocPerm', { parent: 'Shut', role: 'Visitor' });
    await refusesAll();
  });

  test('Desk User is the role of users with a role that has access to the desk', async () => {
    await make('DocType', {
      name: 'Desk Note',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: [{ role: 'Desk User', read: 1 }],
    });
    assert.deepEqual(await listed('ann', 'Desk%20Note'), []);
    assertEnvelope(await site.request('GET', '/api/resource/Desk%20Note', { as: 'out' }), 'PermissionError');
  });
});
