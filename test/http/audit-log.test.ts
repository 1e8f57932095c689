/** The audit log: only ever added to, in the transaction of what it tells, bounded, without secrets, read by few. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { settleAudit } from '../../src/access/audit-apart.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { pruneOldRecords } from '../../src/site/start/retention.ts';
import { describeEither } from '../support/describe-site.ts';

const DAY = 24 * 60 * 60 * 1_000_000;
const LOG = '/api/resource/Audit Log';

describeEither('the audit log', { apps: [crm] }, (site) => {
  async function rows(where = sql`true`) {
    await settleAudit(site.site.database);
    return site.site.database.reader.all(
      sql`select * from "_audit" where ${where} order by "creation", "name"`,
    );
  }

  async function call(method: string, body: unknown, as?: string) {
    return site.request('POST', `/api/method/${method}`, { body, as });
  }

  test('System Managers and Auditors read it, as any list; nobody else does', async () => {
    const auditor = await site.createUser('auditor@example.com', ['Auditor']);
    const seller = await site.createUser('seller@example.com', ['Sales Manager']);
    const path = `${LOG}?filters={"event":"user_created"}&fields=["name","event","reference_name"]&order_by=creation desc`;
    const list = await site.request('GET', path, { as: auditor });
    assert.deepEqual(
      list.body.data.map((row: Record<string, string>) => row['reference_name']),
      ['seller@example.com', 'auditor@example.com'],
    );
    const one = await site.request('GET', `${LOG}/${list.body.data[0].name}`, { as: auditor });
    assert.equal(one.body.data.reference_name, 'seller@example.com');
    assert.equal((await call('frappe.client.get_count', { doctype: 'Audit Log' }, auditor)).status, 200);
    assert.equal((await site.request('GET', path, { as: seller })).status, 403);
    assert.equal((await site.request('GET', path, { as: null })).status, 403);
    const { name } = list.body.data[0];
    assert.equal((await site.request('GET', `${LOG}/${name}`, { as: seller })).status, 403);
  });

  test('nobody changes, adds or deletes an entry, by no door, Administrator neither', async () => {
    await createLead('kept');
    const [entry] = await rows();
    const name = String(entry?.['name']);
    const before = JSON.stringify(await rows());
    const doc = { doctype: 'Audit Log', name };
    const rename = { doctype: 'Audit Log', old_name: name, new_name: 'x' };
    const v2 = '/api/v2/document/Audit Log';
    const doors: readonly (readonly [string, string, unknown?])[] = [
      ['POST', LOG, { event: 'login' }],
      ['PUT', `${LOG}/${name}`, { user: 'x' }],
      ['DELETE', `${LOG}/${name}`],
      ['POST', v2, { event: 'login' }],
      ['PUT', `${v2}/${name}`, { user: 'x' }],
      ['PATCH', `${v2}/${name}`, { user: 'x' }],
      ['DELETE', `${v2}/${name}`],
      ['POST', '/api/method/frappe.client.insert', { doc: { doctype: 'Audit Log', event: 'login' } }],
      ['POST', '/api/method/frappe.client.insert_many', { docs: [{ doctype: 'Audit Log', event: 'login' }] }],
      ['POST', '/api/method/frappe.client.save', { doc: { ...doc, user: 'x' } }],
      ['POST', '/api/method/frappe.client.set_value', { ...doc, fieldname: 'user', value: 'x' }],
      ['POST', '/api/method/frappe.client.delete', doc],
      ['POST', '/api/method/frappe.client.submit', { doc }],
      ['POST', '/api/method/frappe.client.cancel', doc],
      ['POST', '/api/method/frappe.client.rename_doc', rename],
      ['POST', '/api/method/chancery.amend_document', doc],
      ['DELETE', '/api/resource/DocType/Audit Log'],
      ['PUT', '/api/resource/DocType/Audit Log', { is_virtual: 0 }],
      [
        'POST',
        '/api/method/frappe.client.rename_doc',
        { ...rename, doctype: 'DocType', old_name: 'Audit Log' },
      ],
    ];
    for (const [method, path, body] of doors) {
      const reply = await site.request(method, path, body === undefined ? {} : { body });
      assert.ok(
        reply.status >= 400 && reply.status < 500,
        `${method} ${path}: ${reply.status} ${reply.text}`,
      );
    }
    // What works on many answers for each of them; what marks documents has nowhere to put it.
    for (const [path, body] of [
      [`${v2}/bulk_delete`, { names: [name] }],
      [`${v2}/bulk_update`, { docs: [{ name, user: 'x' }] }],
      ['/api/method/frappe.client.bulk_update', { docs: [{ ...doc, docname: name, user: 'x' }] }],
      ['/api/method/frappe.desk.reportview.delete_items', { items: [name], doctype: 'Audit Log' }],
      ['/api/method/frappe.desk.doctype.tag.tag.add_tag', { tag: 'x', dt: 'Audit Log', dn: name }],
      ['/api/method/frappe.desk.like.toggle_like', { ...doc, add: 'Yes' }],
      ['/api/resource/Custom Field', { dt: 'Audit Log', fieldname: 'x', label: 'x', fieldtype: 'Data' }],
      ['/api/resource/Property Setter', { doc_type: 'Audit Log', property: 'is_virtual', value: '0' }],
    ] as const) {
      const reply = await site.request('POST', path, { body });
      assert.ok(reply.status < 500, `${path}: ${reply.text}`);
    }
    const kept = JSON.parse(before) as { name: string }[];
    const now = await rows();
    assert.equal(JSON.stringify(now.slice(0, kept.length)), before);
    // Of what came since, everything is by the log itself.
    assert.deepEqual(
      now.slice(kept.length).filter((row) => row['event'] !== 'doctype_changed'),
      [],
    );
  });

  test('hooks of apps have no way to it either', async () => {
    const [entry] = await rows();
    const name = String(entry?.['name']);
    const within = unitOfWork.bind(null, site.site, ADMINISTRATOR);
    await assert.rejects(
      within((ctx) => deleteDocument(ctx, 'Audit Log', name)),
      /read-only/,
    );
    await assert.rejects(
      within((ctx) => updateDocument(ctx, 'Audit Log', name, { user: 'x' })),
      /read-only/,
    );
    await assert.rejects(
      within((ctx) => createDocument(ctx, 'Audit Log', { event: 'x' })),
      /read-only/,
    );
  });

  async function createLead(lead_name: string): Promise<string> {
    return (await site.make('Lead', { lead_name })).name;
  }

  test('what is rolled back leaves no entry', async () => {
    const name = await createLead('stays');
    const before = await rows();
    await assert.rejects(
      unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
        await deleteDocument(ctx, 'Lead', name);
        await createDocument(ctx, 'User', { email: 'never@example.com', first_name: 'x' });
        throw new Error('no');
      }),
    );
    const failing = { as: `token ${site.adminKey}`, body: { roles: [{ role: 'No Such Role' }] } };
    assert.equal((await site.request('PUT', '/api/resource/User/seller@example.com', failing)).status, 417);
    assert.deepEqual(await rows(), before);
    const told = site.observed.filter((seen) => seen.kind === 'audit');
    assert.ok(!told.some((seen) => seen['reference_name'] === 'never@example.com'));
  });

  test('reading, listing, creating and saving ordinary documents leaves nothing', async () => {
    const before = (await rows()).length;
    const name = await createLead('ordinary');
    await site.request('PUT', `/api/resource/Lead/${name}`, { body: { lead_name: 'saved' } });
    await site.request('GET', `/api/resource/Lead/${name}`);
    await site.request('GET', '/api/resource/Lead?limit_page_length=1000');
    await call('frappe.client.get_list', { doctype: 'Lead' });
    assert.equal((await rows()).length, before);
  });

  test('an entry says from where, and each is a line of the log too', async () => {
    const name = await createLead('traced');
    const headers = { 'user-agent': `agent ${'x'.repeat(1_000)}` };
    const reply = await site.request('DELETE', `/api/resource/Lead/${name}`, { headers });
    const [entry] = await rows(sql`"reference_name" = ${name}`);
    assert.equal(entry?.['address'], '127.0.0.1');
    assert.equal(entry?.['credential'], 'key admin-key');
    assert.equal(entry?.['request_id'], reply.headers.get('x-request-id'));
    assert.equal(String(entry?.['user_agent']).length, LIMITS.auditAgentLength);
    const line = site.observed.find((seen) => seen.kind === 'audit' && seen.name === entry?.['name']);
    assert.ok(line);
  });

  test('being refused fills no disk: like is counted, and too many kinds together', async () => {
    await settleAudit(site.site.database);
    const failed = sql`"event" = 'key_refused'`;
    const { api_key, api_secret } = (
      await call('chancery.api_key.create', { label: 'elsewhere', allowed_ips: ['192.0.2.1'] })
    ).body.message;
    for (let n = 0; n < 5; n += 1) {
      await site.request('GET', '/api/resource/Lead', { as: `token ${api_key}:${api_secret}` });
    }
    const counts = (await rows(failed)).map((row) => Number(row['occurrences']));
    assert.deepEqual(counts.sort(), [1, 4]);
  });

  test('roles and permissions are told with what came and went, secrets never', async () => {
    const secret = 'canary-of-the-audit-log';
    const perm = (role: string, more = {}) => ({ role, read: 1, report: 0, ...more });
    const fields = [
      { fieldname: 'title', fieldtype: 'Data', label: 'Title' },
      { fieldname: 'pin', fieldtype: 'Password', label: 'Pin' },
    ];
    const body = { name: 'Audited', module: 'X', custom: 1, fields, permissions: [perm('System Manager')] };
    await site.make('DocType', body);
    const permissions = [perm('System Manager'), perm('Sales User', { if_owner: 1, write: 1 })];
    await site.request('PUT', '/api/resource/DocType/Audited', { body: { permissions } });
    const [, changed] = await rows(sql`"event" = 'permissions_changed' and "reference_name" = 'Audited'`);
    assert.deepEqual(JSON.parse(String(changed?.['details'])), {
      added: ['Sales User own: read, write'],
      removed: [],
    });
    const hook = await site.make('Webhook', {
      webhook_doctype: 'Lead',
      webhook_docevent: 'on_update',
      request_url: `https://example.com/${secret}`,
      secret,
      webhook_headers: [{ key: 'X-Token', value: secret }],
    });
    const more = { webhook_headers: [{ key: 'X-Token', value: `${secret} 2` }], secret: `${secret} 3` };
    const path = `/api/resource/Webhook/${hook.name}`;
    await site.ok('PUT', path, { body: more });
    await site.request('DELETE', path);
    await site.request('POST', '/api/method/login', { as: null, body: { usr: secret, pwd: secret } });
    const all = JSON.stringify([await rows(), site.observed.filter((seen) => seen.kind === 'audit')]);
    assert.ok(!all.includes('canary'), 'a secret is in the log');
    assert.match(all, /webhook_headers/);
    const name = String(hook.name);
    const told = await rows(sql`"reference_name" = ${name} and "event" = 'webhook_changed'`);
    assert.deepEqual(
      told.map((row) => JSON.parse(String(row['details'])).secret ?? null),
      [null, 'changed', null],
    );
  });

  test('entries go after their days, and not before', async () => {
    const later = (days: number, auditDays: number) => {
      const now = site.site.clock.micros();
      const { settings } = site.site;
      const config = { ...site.site.config, auditDays };
      return { ...site.site, settings, config, clock: { micros: () => now + days * DAY } };
    };
    const before = (await rows()).length;
    assert.ok(before > 10);
    await pruneOldRecords(later(29, 30));
    await pruneOldRecords(later(4_000, 0));
    assert.equal((await rows()).length, before);
    await pruneOldRecords(later(31, 30));
    assert.equal((await rows()).length, 0);
  });
});
