/** Ways around the permission of a document that other servers left open: each closed here. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const FULL = { read: 1, write: 1, create: 1, delete: 1 };
const ANN = 'ann@example.com';
const BEN = 'ben@example.com';

const SITE = {
  doctypes: [
    {
      name: 'Ledger Line',
      istable: 1,
      fields: [
        { fieldname: 'amount', fieldtype: 'Int' },
        { fieldname: 'margin', fieldtype: 'Int', permlevel: 1 },
      ],
    },
  ],
  users: { ann: ['Diarist', 'Clerk'], ben: ['Diarist', 'Reviser'] },
};

describeEither('side doors', SITE, (site) => {
  async function make(doctype: string, body: object, as?: string): Promise<string> {
    return (await site.ok('POST', `/api/resource/${doctype}`, { body, as })).name;
  }
  const get = (path: string, as: string) => site.request('GET', `/api/resource/${path}`, { as });
  const call = (method: string, body: object, as: string) =>
    site.request('POST', `/api/method/${method}`, { body, as });

  before(async () => {
    const lines = { fieldname: 'lines', fieldtype: 'Table', options: 'Ledger Line' };
    await make('DocType', {
      name: 'Ledger',
      autoname: 'field:title',
      allow_rename: 1,
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'notes', fieldtype: 'Data', permlevel: 1 },
        { fieldname: 'gone', fieldtype: 'Data', permlevel: 2 },
        lines,
      ],
      permissions: [
        { role: 'System Manager', ...FULL },
        { role: 'Clerk', read: 1 },
        { role: 'Reviser', permlevel: 1, read: 1 },
      ],
    });
    // The same table in a doctype that everybody reads.
    await make('DocType', {
      name: 'Open Ledger',
      autoname: 'field:title',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }, lines],
      permissions: [{ role: 'All', read: 1, create: 1, write: 1 }],
    });
    await make('DocType', {
      name: 'Diary',
      autoname: 'field:title',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: [{ role: 'Diarist', ...FULL, if_owner: 1 }],
    });
    await make('Ledger', { title: 'closed', notes: 'for revisers', lines: [{ amount: 7, margin: 3 }] });
    await make('Open Ledger', { title: 'open', lines: [{ amount: 1 }] });
    await make('Diary', { title: 'of ann' }, 'ann');
  });

  test('rows are listed for the parents that their reader may read, whatever parent is claimed', async () => {
    const closed = await get('Ledger%20Line?parent=Ledger&fields=["amount"]', 'ben');
    assert.equal(closed.status, 403, closed.text);
    for (const parent of ['Open%20Ledger', 'Open%20Ledger&filters={"parenttype":"Ledger"}']) {
      const list = await get(`Ledger%20Line?parent=${parent}&fields=["amount","parenttype"]`, 'ben');
      assert.equal(list.status, 200, list.text);
      assert.ok(!list.text.includes('"Ledger"'), list.text);
    }
    for (const parent of ['', '?parent=User', '?parent=Nowhere', '?parent=Diary', '?parent=Ledger%20Line']) {
      assert.notEqual((await get(`Ledger%20Line${parent}`, 'ben')).status, 200, parent);
    }
    const [row] = (await get('Ledger%20Line?parent=Ledger', 'ann')).body.data;
    assert.ok([403, 404].includes((await get(`Ledger%20Line/${row.name}`, 'ben')).status));
    const own = await get(`Ledger%20Line/${row.name}`, 'ann');
    assert.ok(own.status === 403 || !own.text.includes('margin'), own.text);
  });

  test('rows hide what is above the permlevel, in lists and in their document', async () => {
    const list = await get('Ledger%20Line?parent=Ledger&fields=["margin"]', 'ann');
    assert.equal(list.status, 417, list.text);
    const { body, text } = await get('Ledger/closed', 'ann');
    assert.equal(body.data.lines[0].amount, 7);
    assert.ok(!text.includes('margin') && !text.includes('revisers'), text);
  });

  test('a row above the permlevel gives nothing without the right to the document', async () => {
    assert.equal((await get('Ledger/closed', 'ben')).status, 403);
    assert.equal((await get('Ledger?fields=["notes"]', 'ben')).status, 403);
  });

  test('if_owner holds for lists, counts, single documents, changes and deletions alike', async () => {
    assert.deepEqual((await get('Diary', 'ben')).body.data, []);
    assert.equal((await call('frappe.client.get_count', { doctype: 'Diary' }, 'ben')).body.message, 0);
    for (const verb of ['GET', 'PUT', 'DELETE']) {
      const body = verb === 'PUT' ? { title: 'x' } : undefined;
      const reply = await site.request(verb, '/api/resource/Diary/of%20ann', { as: 'ben', body });
      assert.equal(reply.status, 403, verb);
    }
    const value = { doctype: 'Diary', filters: 'of ann', fieldname: 'title' };
    assert.deepEqual((await call('frappe.client.get_value', value, 'ben')).body.message, {});
    assert.equal((await get('Diary/of%20ann', 'ann')).status, 200);
  });

  test('a request does not say who asks', async () => {
    const claims = `user=${ANN}&owner=${ANN}&as=${ANN}&run_as=${ANN}&session_user=${ANN}`;
    assert.equal((await get(`Diary/of%20ann?${claims}`, 'ben')).status, 403);
    assert.deepEqual((await get(`Diary?${claims}`, 'ben')).body.data, []);
    const who = await site.request('GET', `/api/method/frappe.auth.get_logged_user?${claims}`, {
      as: 'ben',
      headers: { 'x-frappe-user': ANN, 'x-forwarded-user': ANN, 'x-remote-user': ANN },
    });
    assert.equal(who.body.message, BEN);
    const checked = { doctype: 'Diary', docname: 'of ann', user: ANN };
    const may = await call('frappe.client.has_permission', checked, 'ben');
    assert.equal(may.body.message.has_permission, false);
    const explained = await call(
      'chancery.explain_permission',
      { doctype: 'Diary', name: 'of ann', user: ANN },
      'ben',
    );
    assert.equal(explained.status, 403, explained.text);
  });

  test('renaming and merging take the right to write', async () => {
    for (const merge of [false, true]) {
      const rename = { doctype: 'Ledger', old_name: 'closed', new_name: 'mine', merge };
      assert.equal((await call('frappe.client.rename_doc', rename, 'ann')).status, 403);
    }
    const method = await site.request('POST', '/api/resource/Ledger/closed?run_method=rename', {
      as: 'ann',
      body: { name: 'mine' },
    });
    assert.equal(method.status, 403);
  });

  test('a row that gives its parent a right cannot be made by itself', async () => {
    const rows: readonly [string, object][] = [
      ['Has%20Role', { parent: BEN, parenttype: 'User', parentfield: 'roles', role: 'System Manager' }],
      [
        'DocPerm',
        { parent: 'Ledger', parenttype: 'DocType', parentfield: 'permissions', role: 'All', read: 1 },
      ],
      ['Role', { role_name: 'Mine', name: 'Mine' }],
      ['User%20Permission', { user: BEN, allow: 'Ledger', for_value: 'closed' }],
      ['Custom%20DocPerm', { parent: 'Ledger', role: 'All', read: 1 }],
      ['DocShare', { share_doctype: 'Ledger', share_name: 'closed', user: BEN, read: 1 }],
      ['User', { email: 'mine@example.com', first_name: 'x', roles: [{ role: 'System Manager' }] }],
    ];
    for (const [doctype, body] of rows) {
      const reply = await site.request('POST', `/api/resource/${doctype}`, { body, as: 'ben' });
      assert.ok([403, 417].includes(reply.status), `${doctype}: ${reply.status} ${reply.text}`);
      const path = doctype.replace('%20', ' ');
      const inserted = await call('frappe.client.insert', { doc: { doctype: path, ...body } }, 'ben');
      // Whoever may change the own account may send roles with it, and they are left as they are.
      const isOwn = doctype === 'Has%20Role' && inserted.status === 200;
      assert.ok(isOwn || [403, 417].includes(inserted.status), `${doctype}: ${inserted.text}`);
      assert.ok(!inserted.text.includes('System Manager'), inserted.text);
    }
    const { data } = (await site.request('GET', `/api/resource/User/${BEN}`)).body;
    assert.deepEqual(
      data.roles.map((row: { role: string }) => row.role),
      ['Diarist', 'Reviser'],
    );
    assert.equal((await get('Ledger/closed', 'ben')).status, 403);
  });

  test('an own account is changed in what is harmless, and in nothing that gives rights', async () => {
    const reply = await site.request('PUT', `/api/resource/User/${BEN}`, {
      as: 'ben',
      body: { roles: [{ role: 'System Manager' }], user_type: 'System User', enabled: 1 },
    });
    assert.ok(reply.status === 403 || reply.status === 200, reply.text);
    assert.equal((await get('Role', 'ben')).status, 403);
    assert.equal((await get('Ledger/closed', 'ben')).status, 403);
  });

  test('who may write the record of another user does not sign in as them', async () => {
    const share = { doctype: 'User', name: ANN, user: BEN, write: 1 };
    const admin = `token ${site.adminKey}`;
    assert.equal((await call('frappe.share.add', share, admin)).status, 200);
    const own = { new_password: 'of the owner 4711' };
    await site.ok('PUT', `/api/resource/User/${ANN}`, { as: admin, body: own });
    const body = { phone: '12345', new_password: 'of the other 4711' };
    const reply = await site.request('PUT', `/api/resource/User/${ANN}`, { as: 'ben', body });
    assert.deepEqual([reply.status, reply.body.data?.phone], [200, '12345'], reply.text);
    const login = (pwd: string) =>
      site.request('POST', '/api/method/login', { as: null, body: { usr: ANN, pwd } });
    assert.equal((await login(body.new_password)).status, 401);
    assert.equal((await login(own.new_password)).status, 200);
  });

  test('an empty list of values finds nothing, and its opposite is no way around the rule', async () => {
    for (const filters of ['[["name","in",[]]]', '[["title","in",""]]', '{"name":["in",[]]}']) {
      assert.deepEqual((await get(`Diary?filters=${filters}`, 'ann')).body.data, [], filters);
    }
    assert.deepEqual((await get('Diary?filters=[["name","not in",[]]]', 'ben')).body.data, []);
    assert.deepEqual((await get('Diary?or_filters=[["name","is","set"]]', 'ben')).body.data, []);
    assert.deepEqual(
      (await get('Diary?filters=[["name","=","x"],"or",["name","is","set"]]', 'ben')).body.data,
      [],
    );
  });

  test('grants of a field that is deleted do not come back with a field of its name', async () => {
    const path = '/api/resource/DocType/Ledger';
    const { data } = (await site.request('GET', path)).body;
    const without = data.fields.filter((field: { fieldname: string }) => field.fieldname !== 'notes');
    await site.ok('PUT', path, { body: { fields: without } });
    const both = await site.createUser('both@example.com', ['Clerk', 'Reviser']);
    const again = [...without, { fieldname: 'notes', fieldtype: 'Data', permlevel: 2 }];
    await site.ok('PUT', path, { body: { fields: again } });
    // The data is still there; the level it has now decides.
    assert.equal((await get('Ledger?fields=["notes"]', both)).status, 417);
    assert.ok(!(await get('Ledger/closed', both)).text.includes('for revisers'));
  });

  test('what every object has is neither doctype, method, field nor argument', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']) {
      assert.equal((await site.request('GET', `/api/resource/${name}`)).status, 404, name);
      assert.equal((await site.request('POST', `/api/method/${name}`)).status, 404, name);
      assert.equal((await site.request('GET', `/?cmd=${name}`)).status, 404, name);
      const run = await site.request('POST', `/api/resource/Ledger/closed?run_method=${name}`, {
        body: {},
      });
      assert.equal(run.status, 404, name);
      for (const query of [`fields=["${name}"]`, `order_by=${name}`, `filters=[["${name}","=",1]]`]) {
        assert.equal((await site.request('GET', `/api/resource/Ledger?${query}`)).status, 417, query);
      }
      const operator = `filters=[["title","${name}","x"]]`;
      assert.equal((await site.request('GET', `/api/resource/Ledger?${operator}`)).status, 417, operator);
    }
  });

  test('objects and lists where a text is expected are refused, and are no longer lists than they are', async () => {
    const odd: readonly unknown[] = [
      {},
      [],
      { length: 3, 0: 'a' },
      ['closed'],
      { $ne: null },
      { toString: 'x' },
    ];
    for (const value of odd) {
      for (const body of [
        { doctype: 'Ledger', name: value },
        { doctype: value, name: 'closed' },
      ]) {
        const reply = await call('frappe.client.get', body, 'ann');
        assert.ok(reply.status >= 400 && reply.status < 500, `${JSON.stringify(body)}: ${reply.text}`);
      }
      const signIn = await site.request('POST', '/api/method/login', {
        as: null,
        body: { usr: value, pwd: value },
      });
      assert.ok([401, 417, 400].includes(signIn.status), signIn.text);
    }
  });
});
