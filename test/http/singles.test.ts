import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Document } from '../../src/doctype/doctype.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startTestSite, type TestReply } from '../support/site.ts';

const SINGLE = {
  name: 'Shop Settings',
  issingle: 1,
  fields: [
    { fieldname: 'color', label: 'Color', fieldtype: 'Data', default: 'blue' },
    { fieldname: 'limit_to', label: 'Limit To', fieldtype: 'Int', default: '7' },
    { fieldname: 'opens', label: 'Opens', fieldtype: 'Datetime' },
    { fieldname: 'secret_note', label: 'Secret Note', fieldtype: 'Data', permlevel: 1, default: 'hush' },
    { fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Shop Day' },
  ],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
    { role: 'System Manager', permlevel: 1, read: 1, write: 1 },
    { role: 'Clerk', read: 1, write: 1 },
  ],
};
const CHILD = {
  name: 'Shop Day',
  istable: 1,
  fields: [{ fieldname: 'day', label: 'Day', fieldtype: 'Data', reqd: 1 }],
};
const PATH = '/api/resource/Shop%20Settings';

describeEitherEngine('singles', (engine) => {
  let clerk: string;
  const saved: string[] = [];
  const onUpdate = (doc: Document) => {
    saved.push(doc.name);
  };
  const app = { name: 'shop', controllers: { 'Shop Settings': { onUpdate } } };
  const site = useStarted(() => startTestSite(engine, { apps: [app] }));
  before(async () => {
    await site.request('POST', '/api/resource/Role', { body: { role_name: 'Clerk' } });
    for (const body of [CHILD, SINGLE]) {
      await site.make('DocType', body);
    }
    clerk = await site.createUser('clerk@example.com', ['Clerk']);
  });

  const call = (method: string, args: Record<string, unknown>, as?: string) =>
    site.request('POST', `/api/method/frappe.client.${method}`, {
      body: { doctype: 'Shop Settings', ...args },
      as,
    });
  const message = (reply: TestReply) => {
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message;
  };

  test('is there with its defaults before anyone saved it', async () => {
    for (const name of ['Shop%20Settings', 'whatever']) {
      const reply = await site.request('GET', `${PATH}/${name}`);
      assert.equal(reply.status, 200, reply.text);
      const { data } = reply.body;
      assert.equal(data.name, 'Shop Settings');
      assert.deepEqual([data.color, data.limit_to, data.rows], ['blue', 7, []]);
      assert.equal('creation' in data || 'modified' in data, false, 'nobody made it yet');
      assert.equal(reply.headers.get('etag'), '"0"');
    }
    assert.equal(message(await call('get_single_value', { field: 'color' })), 'blue');
    assert.deepEqual(message(await call('get_value', { fieldname: ['color', 'limit_to'] })), {
      color: 'blue',
      limit_to: 7,
    });
    assert.equal(message(await call('get', {})).color, 'blue');
    const list = await site.request('GET', `${PATH}?fields=["name","color","creation"]`);
    assert.deepEqual(list.body.data, [{ name: 'Shop Settings', color: 'blue', creation: null }]);
    const none = await site.request('GET', `${PATH}?filters=[["color","=","red"]]`);
    assert.deepEqual(none.body.data, []);
    assert.equal(message(await call('get_count', {})), 1);
  });

  test('first saves at the same time make one document', async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        site.request(index % 2 ? 'PUT' : 'POST', index % 2 ? `${PATH}/x` : PATH, {
          body: { name: `n${index}`, limit_to: index },
        }),
      ),
    );
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.data.name, 'Shop Settings');
    }
    assert.equal(saved.length, 12);
    const reply = await site.request('GET', `${PATH}/Shop%20Settings`);
    assert.equal(reply.headers.get('etag'), '"12"');
    assert.equal(reply.body.data.owner, 'Administrator');
    assert.match(reply.body.data.creation, /^\d{4}-/);
  });

  test('is changed by PUT, POST and methods, guarded by its ETag, with its rows', async () => {
    const body = { color: 'red', opens: '2026-01-02 03:04:05.678', rows: [{ day: 'Mon' }, { day: 'Tue' }] };
    const put = await site.request('PUT', `${PATH}/Shop%20Settings`, { body });
    assert.equal(put.status, 200, put.text);
    const days = (reply: TestReply) => reply.body.data.rows.map((row: { day: string }) => row.day);
    assert.deepEqual(days(put), ['Mon', 'Tue']);
    const etag = (await site.request('GET', `${PATH}/a`)).headers.get('etag') ?? '';
    const post = await site.request('POST', PATH, { body: { color: 'green' } });
    assert.equal(post.body.data.color, 'green');
    assert.deepEqual(days(post), ['Mon', 'Tue']);
    const stale = await site.request('PUT', `${PATH}/a`, {
      body: { color: 'grey' },
      headers: { 'if-match': etag },
    });
    assert.equal(stale.status, 412);
    assert.equal(message(await call('set_value', { fieldname: 'color', value: 'pink' })).color, 'pink');
    assert.equal(message(await call('get_single_value', { field: 'opens' })), '2026-01-02 03:04:05');
    assert.equal(
      message(await call('get_value', { fieldname: 'color', filters: 'Shop Settings' })).color,
      'pink',
    );
    const unknown = await call('get_single_value', { field: 'nope' });
    assert.equal(unknown.status, 417);
    const bad = await site.request('PUT', `${PATH}/a`, { body: { rows: [{}] } });
    assert.equal(bad.body.exc_type, 'MandatoryError');
  });

  test('is neither deleted nor renamed', async () => {
    const removal = await site.request('DELETE', `${PATH}/Shop%20Settings`);
    assert.deepEqual([removal.status, removal.body.exc_type], [417, 'ValidationError']);
    const method = await call('delete', { name: 'Shop Settings' });
    assert.equal(method.status, 417);
    const rename = await call('rename_doc', { old_name: 'Shop Settings', new_name: 'Other' });
    assert.equal(rename.status, 417);
  });

  test('obeys roles and levels', async () => {
    const outsider = await site.createUser('outsider@example.com', []);
    for (const reply of [
      await site.request('GET', `${PATH}/a`, { as: outsider }),
      await site.request('GET', PATH, { as: outsider }),
      await site.request('PUT', `${PATH}/a`, { as: outsider, body: { color: 'x' } }),
      await site.request('POST', PATH, { as: outsider, body: { color: 'x' } }),
      await site.request('DELETE', `${PATH}/a`, { as: clerk }),
      await call('get_single_value', { field: 'color' }, outsider),
    ]) {
      assert.equal(reply.status, 403, reply.text);
    }
    const seen = await site.ok('GET', `${PATH}/a`, { as: clerk });
    assert.equal('secret_note' in seen, false);
    assert.equal((await call('get_single_value', { field: 'secret_note' }, clerk)).status, 417);
    assert.equal(message(await call('get_single_value', { field: 'secret_note' })), 'hush');
    await site.ok('PUT', `${PATH}/a`, { as: clerk, body: { color: 'x', secret_note: 'no' } });
    assert.equal(message(await call('get_single_value', { field: 'secret_note' })), 'hush');
  });
});
