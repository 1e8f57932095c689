/** What belongs to a document and is read or written beside it: parts, attachments, passwords, rows. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const LINE = {
  name: 'Deal Line',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Data' },
    { fieldname: 'cost', fieldtype: 'Currency', permlevel: 1 },
  ],
};
const DEAL = {
  name: 'Deal',
  autoname: 'prompt',
  track_changes: 1,
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'pin', fieldtype: 'Password' },
    { fieldname: 'lines', fieldtype: 'Table', options: 'Deal Line' },
    { fieldname: 'hidden', fieldtype: 'Table', options: 'Deal Line', permlevel: 2 },
  ],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1 },
    { role: 'System Manager', read: 1, write: 1, permlevel: 1 },
    { role: 'System Manager', read: 1, write: 1, permlevel: 2 },
    { role: 'Dealer', read: 1, if_owner: 1, create: 1, write: 1 },
    { role: 'Viewer', read: 1 },
  ],
};

describeEither('beside documents', { doctypes: [LINE, DEAL] }, (site) => {
  const keys: Record<string, string> = {};
  before(async () => {
    keys['dealer'] = await site.createUser('dealer@example.com', ['Dealer']);
    keys['viewer'] = await site.createUser('viewer@example.com', ['Viewer']);
    keys['manager'] = await site.createUser('manager@example.com', ['System Manager']);
    keys['nobody'] = await site.createUser('nobody@example.com', []);
    const lines = [{ item: 'Paper', cost: 3 }];
    await ok('POST', '/api/resource/Deal', {
      __newname: 'D/1',
      title: 'One',
      pin: 's3cret',
      lines,
      hidden: [{ item: 'Gift' }],
    });
    const own = { __newname: 'D2', title: 'Two', lines: [{ item: 'Ink' }, { item: 'Pen' }] };
    await ok('POST', '/api/resource/Deal', own, 'dealer');
  });

  const send = (method: string, path: string, body?: unknown, user?: string): Promise<TestReply> =>
    site.request(method, path, { body, ...(user ? { as: keys[user] ?? null } : {}) });
  async function ok(method: string, path: string, body?: unknown, user?: string): Promise<TestReply> {
    const reply = await send(method, path, body, user);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  }

  test('rows of a child doctype are listed by whoever may read their parents', async () => {
    const rows = async (user: string, more: object = {}) => {
      const text = Object.entries({ fields: '["item","parent"]', order_by: 'item', ...more });
      return send('GET', `/api/resource/Deal Line?${new URLSearchParams(text)}`, undefined, user);
    };
    const items = async (user: string, more: object = {}) => {
      const reply = await rows(user, more);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.map(({ item }: { item: string }) => item);
    };
    const parent = { parent: 'Deal' };
    assert.deepEqual(await items('viewer', parent), ['Ink', 'Paper', 'Pen']);
    assert.deepEqual(await items('dealer', parent), ['Ink', 'Pen']);
    assert.deepEqual(await items('dealer', { parent_doctype: 'Deal' }), ['Ink', 'Pen']);
    assert.deepEqual(await items('viewer', { ...parent, filters: '{"parent":"D/1"}' }), ['Paper']);
    assert.deepEqual(await items('manager', parent), ['Gift', 'Ink', 'Paper', 'Pen']);
    const count = '/api/method/frappe.client.get_count?doctype=Deal Line&parent=Deal';
    assert.equal((await ok('GET', count, undefined, 'dealer')).body.message, 2);
    const rpc = { doctype: 'Deal Line', parent: 'Deal', fields: ['item'], order_by: 'item' };
    const listed = await ok('POST', '/api/method/frappe.client.get_list', rpc, 'dealer');
    assert.deepEqual(listed.body.message, [{ item: 'Ink' }, { item: 'Pen' }]);
    const starred = await ok('GET', '/api/resource/Deal Line?fields=["*"]&parent=Deal', undefined, 'viewer');
    assert.ok(!('cost' in starred.body.data[0]));
    assertEnvelope(await rows('viewer', { ...parent, fields: '["cost"]' }), 'DataError');
    assertEnvelope(await rows('viewer', { ...parent, filters: '{"cost":[">",1]}' }), 'DataError');
  });

  test('without a parent that the caller may read, rows are refused', async () => {
    for (const [user, more] of [
      ['viewer', ''],
      ['nobody', '?parent=Deal'],
      ['viewer', '?parent=System Settings'],
      ['viewer', '?parent=Nothing'],
      ['viewer', '?parent=Deal Line'],
    ] as const) {
      const reply = await send('GET', `/api/resource/Deal Line${more}`, undefined, user);
      assertEnvelope(reply, 'PermissionError');
    }
    assertEnvelope(await send('GET', '/api/resource/Deal Line?parent=Role'), 'ValidationError');
  });

  test('attachments are uploaded under the document, and read with it', async () => {
    const path = '/api/v2/document/Deal/D%2F1/attachments';
    const form = () => {
      const body = new FormData();
      body.set('file', new File(['hello'], 'note.txt'));
      body.set('docname', 'D2');
      body.set('is_private', '1');
      return body;
    };
    const made = await ok('POST', path, form());
    assert.partialDeepStrictEqual(made.body.data, {
      file_name: 'note.txt',
      attached_to_doctype: 'Deal',
      attached_to_name: 'D/1',
    });
    assert.equal((await send('POST', path, form(), 'viewer')).status, 403);
    assert.ok((await send('POST', '/api/v2/document/Deal/absent/attachments', form())).status >= 400);
    const read = await ok('GET', '/api/v2/document/Deal/D%2F1?include=attachments,permissions, tags');
    assert.deepEqual(Object.keys(read.body), ['data', 'attachments', 'permissions', 'tags']);
    assert.equal(read.body.attachments[0].name, made.body.data.name);
    const root = `/?cmd=download_file&file_url=${encodeURIComponent(made.body.data.file_url)}`;
    assert.equal((await ok('GET', root)).text, 'hello');
    assertEnvelope(await send('GET', root, undefined, 'nobody'), 'PermissionError');
    assertEnvelope(await send('POST', root, {}), 'MethodNotAllowedError');
  });

  test('include shows what its reader may see, and refuses parts that there are not', async () => {
    await ok('PUT', '/api/resource/Deal/D2', { title: 'Three' });
    const comment = { reference_doctype: 'Deal', reference_name: 'D2', content: 'Well done' };
    await ok('POST', '/api/method/frappe.desk.form.utils.add_comment', comment);
    const asked = 'comments,versions,likes,assignments,shares,permissions';
    const { body } = await ok('GET', `/api/v2/document/Deal/D2?include=${asked}`, undefined, 'viewer');
    assert.deepEqual(
      body.comments.map((one: { content: string }) => one.content),
      ['Well done'],
    );
    assert.equal(body.versions.length, 1);
    assert.deepEqual([body.likes, body.assignments, body.shares], [[], [], []]);
    assert.equal(body.permissions.write, 0);
    const refused = await send('GET', '/api/v2/document/Deal/D2?include=comments,constructor');
    assert.deepEqual([refused.status, refused.body.errors[0].type], [417, 'ValidationError']);
    const getdoc = await ok('GET', '/api/method/frappe.desk.form.load.getdoc?doctype=Deal&name=D2');
    assert.partialDeepStrictEqual(getdoc.body.docinfo, {
      doctype: 'Deal',
      name: 'D2',
      total_comments: 1,
      tags: '',
      shared: [],
      communications: [],
      assignment_logs: [],
    });
  });

  test('a System Manager reads a password in clear text', async () => {
    const get = (args: object, user?: string) =>
      send('POST', '/api/method/frappe.client.get_password', { doctype: 'Deal', name: 'D/1', ...args }, user);
    assert.equal((await get({ fieldname: 'pin' }, 'manager')).body.message, 's3cret');
    assert.deepEqual((await get({ fieldname: 'pin', name: 'D2' })).body, {});
    assertEnvelope(await get({ fieldname: 'pin' }, 'viewer'), 'PermissionError');
    assertEnvelope(await get({ fieldname: 'pin', name: 'absent' }), 'DoesNotExistError');
    for (const fieldname of ['title', 'nothing']) assertEnvelope(await get({ fieldname }), 'DataError');
    const hook = await ok('POST', '/api/resource/Webhook', {
      webhook_doctype: 'Deal',
      webhook_docevent: 'on_update',
      request_url: 'http://127.0.0.1:1/',
    });
    const { name } = hook.body.data;
    assertEnvelope(await get({ doctype: 'Webhook', name, fieldname: 'secret' }), 'DataError');
  });
});
