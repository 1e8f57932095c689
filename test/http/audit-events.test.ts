/**
 * The audit log has an entry for everything that it says it tells: each event happens here, or in the test
 * that is named.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { AUDIT_EVENTS, type AuditEvent } from '../../src/access/audit.ts';
import { settleAudit } from '../../src/access/audit-apart.ts';
import { rotateSecrets } from '../../src/site/settings/rotate-secrets.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

type Ask = (method: string, path: string, body?: unknown, as?: string) => Promise<TestReply>;

interface Stage {
  readonly site: TestSite;
  /** Asks as Administrator unless told otherwise; fails the test unless the answer is 2xx. */
  readonly ask: Ask;
  /** Another System Manager. */
  readonly manager: string;
}

/** What is expected of the newest entry of an event. */
interface Told {
  readonly user?: string;
  readonly doctype?: string;
  readonly name?: string;
  /** A part of its details. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Makes the event happen, and says what is to be told; or the file of the test that does. */
type Scene = ((stage: Stage) => Promise<Told>) | string;

const PASSWORD = 'seven-Purple-kites-27';

async function newUser({ ask }: Stage, name: string, fields: Record<string, unknown> = {}): Promise<string> {
  const email = `${name}@example.com`;
  await ask('POST', '/api/resource/User', { email, first_name: name, ...fields });
  return email;
}

async function signIn({ site }: Stage, usr: string, pwd: string): Promise<TestReply> {
  return site.request('POST', '/api/method/login', { as: null, body: { usr, pwd } });
}

function cookieOf(reply: TestReply): string {
  const cookies = reply.headers.getSetCookie();
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ');
}

async function newKey({ ask }: Stage, more: Record<string, unknown> = {}) {
  const reply = await ask('POST', '/api/method/chancery.api_key.create', { label: 'audited', ...more });
  return reply.body.message as { api_key: string; api_secret: string };
}

async function newWebhook({ ask }: Stage): Promise<string> {
  const webhook = {
    webhook_doctype: 'Lead',
    webhook_docevent: 'on_update',
    request_url: 'https://hooks.example.com/services/T0/a-token-in-the-path',
  };
  return (await ask('POST', '/api/resource/Webhook', webhook)).body.data.name;
}

const SCENES: Readonly<Record<AuditEvent, Scene>> = {
  async login(stage) {
    const user = await newUser(stage, 'login', { new_password: PASSWORD });
    assert.equal((await signIn(stage, user, PASSWORD)).status, 200);
    return { user, doctype: 'User', name: user };
  },
  async login_failed(stage) {
    const user = await newUser(stage, 'failing', { new_password: PASSWORD });
    assert.equal((await signIn(stage, user, 'not the password')).status, 401);
    return { user };
  },
  async logout(stage) {
    const user = await newUser(stage, 'logout', { new_password: PASSWORD });
    const cookie = cookieOf(await signIn(stage, user, PASSWORD));
    await stage.site.request('POST', '/api/method/logout', { as: null, headers: { cookie } });
    return { user };
  },
  async session_revoked(stage) {
    const user = await newUser(stage, 'revoked', { new_password: PASSWORD });
    const cookie = cookieOf(await signIn(stage, user, PASSWORD));
    await signIn(stage, user, PASSWORD);
    const path = '/api/method/chancery.auth.end_other_sessions';
    const ended = await stage.site.request('POST', path, { as: null, headers: { cookie }, body: {} });
    assert.deepEqual([ended.status, ended.body.message], [200, { ended: 1 }]);
    return { user, details: { ended: 1 } };
  },
  async password_changed(stage) {
    const name = await newUser(stage, 'password');
    await stage.ask('PUT', `/api/resource/User/${name}`, { new_password: PASSWORD });
    return { user: 'Administrator', doctype: 'User', name };
  },
  password_reset_asked: 'test/http/audit-sign-in.test.ts',
  second_factor_enabled: 'test/http/audit-sign-in.test.ts',
  second_factor_disabled: 'test/http/audit-sign-in.test.ts',
  async key_created(stage) {
    const { api_key: name } = await newKey(stage);
    return { doctype: 'API Key', name, details: { user: 'Administrator', label: 'audited' } };
  },
  async key_changed(stage) {
    const { api_key: name } = await newKey(stage);
    await stage.ask('PUT', `/api/resource/API Key/${name}`, { enabled: 0, allowed_ips: '192.0.2.0/24' });
    const details = { enabled: [1, 0], allowed_ips: [null, '192.0.2.0/24'] };
    return { doctype: 'API Key', name, details };
  },
  async key_rotated(stage) {
    const { api_key } = await newKey(stage);
    await stage.ask('POST', '/api/method/chancery.api_key.rotate', { api_key, overlap_hours: 0 });
    return { doctype: 'API Key', name: api_key };
  },
  async key_revoked(stage) {
    const { api_key: name } = await newKey(stage);
    await stage.ask('DELETE', `/api/resource/API Key/${name}`);
    return { doctype: 'API Key', name };
  },
  async key_refused(stage) {
    const { api_key, api_secret } = await newKey(stage, { allowed_ips: ['192.0.2.1'] });
    const as = `token ${api_key}:${api_secret}`;
    assert.equal((await stage.site.request('GET', '/api/resource/Lead', { as })).status, 401);
    return { user: 'Administrator' };
  },
  async oauth_client_changed({ ask }) {
    const uri = 'https://app.example.com/back';
    const client = { app_name: 'Audited', redirect_uris: uri, default_redirect_uri: uri };
    const { name } = (await ask('POST', '/api/resource/OAuth Client', client)).body.data;
    return { doctype: 'OAuth Client', name, details: { change: 'created' } };
  },
  oauth_authorized: 'test/http/audit-sign-in.test.ts',
  oauth_revoked: 'test/http/audit-sign-in.test.ts',
  async user_created(stage) {
    const name = await newUser(stage, 'created');
    return { doctype: 'User', name };
  },
  async user_enabled(stage) {
    const name = await newUser(stage, 'enabled', { enabled: 0 });
    await stage.ask('PUT', `/api/resource/User/${name}`, { enabled: 1 });
    return { doctype: 'User', name };
  },
  async user_disabled(stage) {
    const name = await newUser(stage, 'disabled');
    await stage.ask('POST', '/api/method/frappe.client.set_value', {
      doctype: 'User',
      name,
      fieldname: 'enabled',
      value: 0,
    });
    return { doctype: 'User', name };
  },
  async user_renamed(stage) {
    const from = await newUser(stage, 'old');
    const name = 'new@example.com';
    const rename = { doctype: 'User', old_name: from, new_name: name };
    await stage.ask('POST', '/api/method/frappe.client.rename_doc', rename);
    return { doctype: 'User', name, details: { from } };
  },
  async roles_changed(stage) {
    const name = await newUser(stage, 'promoted', { roles: [{ role: 'Sales User' }] });
    const roles = [{ role: 'System Manager' }];
    await stage.ask('PUT', `/api/resource/User/${name}`, { roles }, stage.manager);
    const details = { added: ['System Manager'], removed: ['Sales User'] };
    return { user: 'manager@example.com', doctype: 'User', name, details };
  },
  async permissions_changed({ ask }) {
    const share = { share_doctype: 'Role', share_name: 'All', user: 'manager@example.com', read: 1 };
    const { name } = (await ask('POST', '/api/resource/DocShare', share)).body.data;
    return { doctype: 'DocShare', name, details: { change: 'created', share_name: 'All', read: 1 } };
  },
  async doctype_changed({ ask }) {
    const field = { dt: 'Lead', fieldname: 'audited', label: 'Audited', fieldtype: 'Data' };
    const { name } = (await ask('POST', '/api/resource/Custom Field', field)).body.data;
    return { doctype: 'Custom Field', name, details: { change: 'created', dt: 'Lead' } };
  },
  async document_deleted({ ask }) {
    const { name } = (await ask('POST', '/api/resource/Lead', { lead_name: 'gone' })).body.data;
    await ask('DELETE', `/api/resource/Lead/${name}`);
    return { doctype: 'Lead', name };
  },
  async document_restored({ ask }) {
    const { name } = (await ask('POST', '/api/resource/Lead', { lead_name: 'back' })).body.data;
    await ask('DELETE', `/api/resource/Lead/${name}`);
    const kept = await ask('GET', `/api/resource/Deleted Document?filters={"deleted_name":"${name}"}`);
    const record = kept.body.data[0].name;
    await ask('POST', '/api/method/chancery.restore_document', { name: record });
    return { doctype: 'Lead', name, details: { deleted_document: record, old_name: name } };
  },
  async exported({ ask, manager }) {
    await ask('GET', '/api/resource/Lead?limit_page_length=0', undefined, manager);
    return { user: 'manager@example.com', doctype: 'Lead', details: { rows: 'all' } };
  },
  async file_link_made({ ask }) {
    const body = { file_name: 'told.txt', content: 'x', is_private: 1 };
    const { name } = (await ask('POST', '/api/resource/File', body)).body.data;
    const link = (await ask('POST', '/api/method/chancery.file_link', { name })).body.message;
    return { doctype: 'File', name, details: { until: link.expires } };
  },
  async settings_changed({ ask }) {
    await ask('PUT', '/api/resource/System Settings/System Settings', { version_days: 30 });
    return { doctype: 'System Settings', details: { change: 'changed', version_days: [0, 30] } };
  },
  async webhook_changed(stage) {
    const name = await newWebhook(stage);
    await stage.ask('PUT', `/api/resource/Webhook/${name}`, { request_url: 'https://other.example.com/x' });
    const hosts = ['https://hooks.example.com', 'https://other.example.com'];
    return { doctype: 'Webhook', name, details: { request_url: hosts } };
  },
  async webhook_secret_changed(stage) {
    const webhook = await newWebhook(stage);
    await stage.ask('POST', '/api/method/chancery.webhook.regenerate_secret', { webhook });
    return { doctype: 'Webhook', name: webhook };
  },
  async deliveries_resent(stage) {
    const webhook = await newWebhook(stage);
    await stage.ask('POST', '/api/method/chancery.webhook.test', { webhook });
    return { doctype: 'Webhook', name: webhook, details: { deliveries: 1, test: true } };
  },
  async deliveries_cancelled(stage) {
    const webhook = await newWebhook(stage);
    const { body } = await stage.ask('POST', '/api/method/chancery.webhook.test', { webhook });
    await stage.ask('POST', '/api/method/chancery.webhook.cancel', { name: body.message.name });
    return { doctype: 'Webhook', name: webhook, details: { deliveries: 1, webhooks: 1 } };
  },
  async job_started({ ask, manager }) {
    await ask('POST', '/api/method/chancery.system.run_job', { job: 'empty_quarantine' }, manager);
    return { user: 'manager@example.com', details: { job: 'empty_quarantine' } };
  },
  async secret_keys_rotated({ site }) {
    await rotateSecrets(site.site);
    return { user: 'Administrator' };
  },
  files_adopted: 'test/site/files-bound.test.ts',
  load_started: 'test/load/server-loads.test.ts',
  load_undone: 'test/load/server-loads.test.ts',
  site_restored: 'test/backup/restored.test.ts',
  patch_applied: 'test/site/audit-tools.test.ts',
  site_migrated: 'test/site/audit-tools.test.ts',
};

describeEitherEngine('events of the audit log', (engine) => {
  let stage: Stage;
  before(async () => {
    const site = await startTestSite(engine, { apps: [crm] });
    const manager = await site.createUser('manager@example.com', ['System Manager', 'Sales Manager']);
    const ask: Ask = async (method, path, body, as) => {
      const reply = await site.request(method, path, { body, as });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      return reply;
    };
    stage = { site, ask, manager };
  });
  after(() => stage.site.stop());

  async function newest(event: AuditEvent) {
    await settleAudit(stage.site.site.database);
    const query = `filters={"event":"${event}"}&fields=["*"]&order_by=creation desc&limit_page_length=1`;
    return (await stage.ask('GET', `/api/resource/Audit Log?${query}`)).body.data[0];
  }

  for (const event of AUDIT_EVENTS) {
    const scene = SCENES[event];
    if (typeof scene === 'string') continue;
    test(event, async () => {
      const told = await scene(stage);
      const entry = await newest(event);
      assert.ok(entry, 'there is no entry');
      if (told.user !== undefined) assert.equal(entry.user, told.user);
      if (told.doctype !== undefined) assert.equal(entry.reference_doctype, told.doctype);
      if (told.name !== undefined) assert.equal(entry.reference_name, told.name);
      const details = JSON.parse(entry.details ?? '{}');
      for (const [key, value] of Object.entries(told.details ?? {}))
        assert.deepEqual(details[key], value, key);
      const isRefused = event === 'login_failed' || event === 'key_refused';
      assert.equal(entry.outcome, isRefused ? 'Failed' : 'Success');
    });
  }
});

test('every other event has its own test', () => {
  for (const [event, scene] of Object.entries(SCENES)) {
    if (typeof scene !== 'string') continue;
    const source = readFileSync(new URL(`../../${scene}`, import.meta.url), 'utf8');
    assert.match(source, new RegExp(`\\b${event}\\b`), `${scene} says nothing of ${event}`);
  }
});
