/** What a key is for: reading only, some doctypes, some methods. Through every door alike. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listDocuments } from '../../src/document/list/list.ts';
import { defineDocumentMethod, defineMethod } from '../../src/document/verbs/method.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { type App, defineApp } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const app: App = defineApp({
  name: 'scoped',
  methods: {
    'scoped.names': defineMethod({ http: ['GET', 'POST'], run: (ctx) => listDocuments(ctx, 'Ticket', {}) }),
    'scoped.write': defineMethod({
      http: ['GET', 'POST'],
      run: (ctx) => updateDocument(ctx, 'Ticket', 'one', { subject: 'written' }),
    }),
  },
  controllers: {
    Ticket: {
      documentMethods: {
        shout: defineDocumentMethod({
          http: ['GET', 'POST'],
          run: (doc) => String(doc['subject']).toUpperCase(),
        }),
      },
    },
  },
});

const PERMISSIONS = [
  { role: 'Clerk', read: 1, write: 1, create: 1, delete: 1, report: 1, export: 1, share: 1 },
];
const upload = (fields: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob(['bytes']), 'x.txt');
  return form;
};

describeEither('the scope of a key', { apps: [app] }, (site) => {
  const keys = new Map<string, string>();
  before(async () => {
    const fields = [
      { fieldname: 'subject', fieldtype: 'Data' },
      { fieldname: 'customer', fieldtype: 'Link', options: 'Client' },
      { fieldname: 'lines', fieldtype: 'Table', options: 'Line' },
    ];
    const define = async (body: object) =>
      ok(await site.request('POST', '/api/resource/DocType', { body: { module: 'Test', ...body } }));
    ok(await site.request('POST', '/api/resource/Role', { body: { role_name: 'Clerk' } }));
    await define({ name: 'Line', istable: 1, fields: [{ fieldname: 'what', fieldtype: 'Data' }] });
    const client = { name: 'Client', autoname: 'prompt', fields: [{ fieldname: 'town', fieldtype: 'Data' }] };
    await define({ ...client, permissions: PERMISSIONS });
    await define({ name: 'Ticket', autoname: 'prompt', fields, permissions: PERMISSIONS, allow_rename: 1 });
    ok(await site.request('POST', '/api/resource/Client', { body: { __newname: 'Ada', town: 'Ulm' } }));
    const ticket = { __newname: 'one', subject: 'first', customer: 'Ada', lines: [{ what: 'x' }] };
    ok(await site.request('POST', '/api/resource/Ticket', { body: ticket }));
    const clerk = await site.createUser('clerk@example.com', ['Clerk']);
    for (const [name, as] of [
      ['clerk', clerk],
      ['admin', `token ${site.adminKey}`],
    ] as const) {
      keys.set(name, as);
      for (const [kind, limits] of [
        ['reads', { read_only: 1 }],
        ['tickets', { doctypes: ['Ticket', 'File'] }],
        ['method', { methods: ['scoped.names', 'scoped.write'] }],
        ['late', { expires_on: '2999-01-01 00:00:00' }],
        ['near', { allowed_ips: ['127.0.0.1'] }],
      ] as const) {
        const made = ok(
          await site.request('POST', '/api/method/chancery.api_key.create', { body: limits, as }),
        );
        keys.set(`${name} ${kind}`, `token ${made.message.api_key}:${made.message.api_secret}`);
      }
    }
  });

  const ok = (reply: TestReply) => {
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    return reply.body;
  };
  const ask = (key: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    site.request(method, path, { as: keys.get(key) ?? assert.fail(key), body, ...(headers && { headers }) });
  const refused = async (
    key: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => {
    const reply = await ask(key, method, path, body, headers);
    assert.equal(reply.status, 403, `${key}: ${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
  };
  const snapshot = async () => {
    const tables = ['Ticket', 'Client', 'File', 'User', 'Comment', 'DocShare', 'API Key', 'Version'];
    const texts = [];
    for (const table of tables) {
      const path = `/api/resource/${encodeURIComponent(table)}?fields=["name","modified"]&limit_page_length=0`;
      texts.push((await ask('admin', 'GET', path)).text);
    }
    return texts;
  };

  test('a key with any limit reads no stored passwords', async () => {
    const path =
      '/api/method/frappe.client.get_password?doctype=User&name=clerk@example.com&fieldname=new_password';
    ok(await ask('admin', 'GET', path));
    for (const kind of ['reads', 'late', 'near']) await refused(`admin ${kind}`, 'GET', path);
  });

  for (const who of ['clerk', 'admin']) {
    test(`of ${who}: a key that only reads reads`, async () => {
      for (const path of [
        '/api/resource/Ticket',
        '/api/resource/Ticket/one',
        '/api/v2/document/Ticket/one?include=comments,permissions',
        '/api/v2/doctype/Ticket/meta',
        '/api/resource/DocType/Ticket',
        '/api/method/frappe.client.get_count?doctype=Ticket',
        '/api/method/scoped.names',
        '/api/resource/Ticket/one?run_method=shout',
        '/api/method/frappe.auth.get_logged_user',
      ]) {
        ok(await ask(`${who} reads`, 'GET', path));
      }
      ok(await ask(`${who} reads`, 'POST', '/api/method/frappe.client.get_list', { doctype: 'Ticket' }));
      const rights = await ask(
        `${who} reads`,
        'GET',
        '/api/method/frappe.client.get_doc_permissions?doctype=Ticket&docname=one',
      );
      assert.partialDeepStrictEqual(ok(rights).message.permissions, {
        read: 1,
        write: 0,
        delete: 0,
        share: 0,
      });
    });

    test(`of ${who}: and changes nothing through any door`, async () => {
      const before = await snapshot();
      const key = `${who} reads`;
      const doc = { doctype: 'Ticket', name: 'one', subject: 'changed' };
      for (const [method, path, body] of [
        ['POST', '/api/resource/Ticket', { __newname: 'two' }],
        ['PUT', '/api/resource/Ticket/one', doc],
        ['DELETE', '/api/resource/Ticket/one'],
        ['POST', '/api/resource/Ticket/one', { run_method: 'add_comment', text: 'x' }],
        ['POST', '/api/resource/Ticket/one?run_method=shout'],
        ['POST', '/api/v2/document/Ticket', doc],
        ['PATCH', '/api/v2/document/Ticket/one', doc],
        ['DELETE', '/api/v2/document/Ticket/one'],
        ['POST', '/api/v2/document/Ticket/one/method/rename', { name: 'other' }],
        ['POST', '/api/v2/document/Ticket/bulk_update', { docs: [doc] }],
        ['POST', '/api/v2/document/Ticket/one/attachments', upload()],
        ['POST', '/api/method/upload_file', upload({ doctype: 'Ticket', docname: 'one' })],
        ['POST', '/api/v2/method/upload_file', upload()],
        ['POST', '/api/method/frappe.client.set_value', { ...doc, fieldname: 'subject', value: 'x' }],
        ['POST', '/api/method/frappe.client.insert', { doc: { ...doc, name: 'two' } }],
        ['POST', '/api/method/frappe.client.save', { doc }],
        ['POST', '/api/method/frappe.client.delete', doc],
        ['POST', '/api/method/frappe.client.bulk_update', { docs: [{ ...doc, docname: 'one' }] }],
        ['POST', '/api/method/bulk_delete', { docs: [doc] }],
        [
          'POST',
          '/api/method/frappe.client.rename_doc',
          { doctype: 'Ticket', old_name: 'one', new_name: 'n' },
        ],
        [
          'POST',
          '/api/method/frappe.client.attach_file',
          { ...doc, docname: 'one', filename: 'a', filedata: 'b' },
        ],
        ['POST', '/api/method/run_doc_method', { dt: 'Ticket', dn: 'one', method: 'shout' }],
        ['POST', '/api/method/scoped.write'],
        ['POST', '/api/method/frappe.share.add', { ...doc, everyone: 1 }],
        ['POST', '/api/method/frappe.desk.like.toggle_like', { ...doc, add: 'Yes' }],
        ['POST', '/api/method/frappe.core.doctype.user.user.generate_keys', { user: 'clerk@example.com' }],
        ['POST', '/api/method/chancery.api_key.create', {}],
        ['POST', '/api/method/login', { usr: 'Administrator', pwd: 'admin-password' }],
        ['GET', '/api/method/logout'],
        ['POST', '/?cmd=frappe.client.save', { doc }],
      ] as [string, string, unknown?][]) {
        await refused(key, method, path, body);
      }
      const write = await ask(key, 'GET', '/api/method/scoped.write');
      assert.ok(write.status >= 400, write.text);
      assert.deepEqual(await snapshot(), before);
    });

    test(`of ${who}: a key for a doctype has that one, by every way`, async () => {
      const key = `${who} tickets`;
      ok(await ask(key, 'PUT', '/api/resource/Ticket/one', { subject: 'mine' }));
      assert.equal(ok(await ask(key, 'GET', '/api/resource/Ticket/one')).data.lines.length, 1);
      ok(await ask(key, 'GET', '/api/resource/DocType/Ticket'));
      ok(await ask(key, 'GET', '/api/resource/Line?parent=Ticket'));
      ok(await ask(key, 'POST', '/api/method/upload_file', upload({ doctype: 'Ticket', docname: 'one' })));
      for (const [method, path, body] of [
        ['GET', '/api/resource/Client'],
        ['GET', '/api/resource/Client/Ada'],
        ['GET', '/api/resource/Client/nobody'],
        ['GET', '/api/resource/Line'],
        ['GET', '/api/resource/DocType/Client'],
        ['GET', '/api/v2/doctype/Client/meta'],
        ['GET', '/api/v2/doctype/Client/count'],
        ['GET', '/api/v2/doctype/Client/search?txt=A'],
        ['GET', '/api/events?doctype=Client'],
        ['GET', '/api/method/frappe.client.get_value?doctype=Client&fieldname=town&filters=Ada'],
        ['POST', '/api/method/frappe.client.get_list', { doctype: 'Client' }],
        ['POST', '/api/resource/Client', { __newname: 'Eve' }],
        ['POST', '/api/method/frappe.client.insert', { doc: { doctype: 'Client', __newname: 'Eve' } }],
        ['POST', '/api/method/frappe.client.delete', { doctype: 'Client', name: 'Ada' }],
        ['POST', '/api/method/upload_file', upload({ doctype: 'Client', docname: 'Ada' })],
        ['POST', '/api/resource/Ticket/one', { run_method: 'add_comment', text: 'x' }],
        ['GET', '/api/resource/User'],
        ['GET', '/api/resource/API%20Key'],
      ] as [string, string, unknown?][]) {
        await refused(key, method, path, body);
      }
      const through = await ask(key, 'GET', '/api/resource/Ticket?fields=["customer.town"]');
      assertEnvelope(through, 'DataError');
      const definitions = ok(await ask(key, 'GET', '/api/resource/DocType?limit_page_length=500')).data;
      const names = definitions.map(({ name }: { name: string }) => name);
      assert.ok(
        names.includes('Ticket') && !names.includes('Client') && !names.includes('User'),
        names.join(),
      );
      const api = ok(await ask(key, 'GET', '/api/openapi.json'));
      assert.ok(api.paths['/api/resource/Ticket'] && !api.paths['/api/resource/Client']);
      const bulk = await ask(key, 'POST', '/api/method/bulk_delete', {
        docs: [{ doctype: 'Client', name: 'Ada' }],
      });
      assert.equal(ok(bulk).message.success_count, 0);
    });

    test(`of ${who}: files of other doctypes are out of scope`, async () => {
      const form = upload({ doctype: 'Client', docname: 'Ada', is_private: '1' });
      const { name, file_url: url } = ok(await ask(who, 'POST', '/api/method/upload_file', form)).message;
      assert.equal((await ask(who, 'GET', url)).status, 200);
      await refused(`${who} tickets`, 'GET', url);
      await refused(`${who} tickets`, 'GET', `/api/resource/File/${name}`);
      const list = ok(await ask(`${who} tickets`, 'GET', '/api/resource/File?limit_page_length=500')).data;
      assert.ok(!list.some((row: { name: string }) => row.name === name));
      assert.ok(list.length > 0);
    });

    test(`of ${who}: a key for methods calls these, and nothing else`, async () => {
      const key = `${who} method`;
      ok(await ask(key, 'GET', '/api/method/scoped.names'));
      ok(await ask(key, 'POST', '/api/method/scoped.write'));
      ok(await ask(key, 'GET', '/api/method/ping'));
      for (const path of [
        '/api/resource/Ticket',
        '/api/resource/Ticket/one?run_method=shout',
        '/api/method/frappe.client.get_list?doctype=Ticket',
        '/api/v2/method/frappe.client.get_list?doctype=Ticket',
        '/?cmd=frappe.client.get_list&doctype=Ticket',
        '/api/method/run_doc_method?dt=Ticket&dn=one&method=shout',
        '/api/v2/doctype/Ticket/count',
        '/api/events?doctype=Ticket',
        '/private/files/x',
        '/api/method/download_file?file_url=/private/files/x',
      ]) {
        await refused(key, 'GET', path);
      }
      await refused(key, 'POST', '/api/method/upload_file', upload());
      const api = ok(await ask(key, 'GET', '/api/openapi.json'));
      assert.ok(api.paths['/api/method/scoped.names'] && !api.paths['/api/method/frappe.client.get_list']);
    });

    test(`of ${who}: no limited key makes keys, changes or ends them`, async () => {
      const own = keys.get(who)?.replace('token ', '').split(':')[0];
      if (who === 'clerk') await site.createUser('other@example.com', []);
      for (const kind of ['tickets', 'method', 'late', 'near', 'reads']) {
        await refused(`${who} ${kind}`, 'POST', '/api/method/chancery.api_key.create', {});
        await refused(`${who} ${kind}`, 'POST', '/api/method/chancery.api_key.rotate', { api_key: own });
        await refused(`${who} ${kind}`, 'PUT', `/api/resource/API%20Key/${own}`, { read_only: 1 });
        await refused(`${who} ${kind}`, 'DELETE', `/api/resource/API%20Key/${own}`);
        const generate = { user: 'clerk@example.com' };
        await refused(
          `${who} ${kind}`,
          'POST',
          '/api/method/frappe.core.doctype.user.user.generate_keys',
          generate,
        );
        await refused(`${who} ${kind}`, 'POST', '/api/method/chancery.auth.end_grant', { id: 'x' });
        // Who sets a password signs in with it, without any limit.
        const body = { new_password: 'of a limited key' };
        await refused(`${who} ${kind}`, 'PUT', '/api/resource/User/other@example.com', body);
      }
    });

    test(`of ${who}: the answer to a wider key is not replayed to a narrower one`, async () => {
      const headers = { 'Idempotency-Key': `once by ${who}`.replaceAll(' ', '-') };
      const body = { doc: { doctype: 'Client', __newname: `Client of ${who}`, town: 'Secret' } };
      const path = '/api/method/frappe.client.insert';
      ok(await ask(who, 'POST', path, body, headers));
      assert.equal((await ask(who, 'POST', path, body, headers)).headers.get('idempotent-replayed'), 'true');
      for (const kind of ['reads', 'tickets', 'method'])
        await refused(`${who} ${kind}`, 'POST', path, body, headers);
    });
  }
});
