import { newApiKey, storeApiKey } from '../../src/access/api-key.ts';
import { issueCode, redeemCode } from '../../src/access/oauth-grant.ts';
import { enrol, makeRecoveryCodes } from '../../src/access/second-factor.ts';
import { startSession } from '../../src/access/session.ts';
import { makeToken } from '../../src/access/token.ts';
import type { TestSite } from '../support/site.ts';

/** Values like no others, one for each kind of place that keeps a secret. */
export const CANARY = {
  field: 'canary-field-8f1d',
  changedField: 'canary-changed-field-77a0',
  row: 'canary-row-52c9',
  single: 'canary-single-e13b',
  webhook: 'canary-webhook-90de',
  header: 'canary-header-4c47',
  formerHeader: 'canary-former-header-0b1e',
  provider: 'canary-provider-secret-2d7e',
  password: 'canary-password-b6aa',
  adminPassword: 'canary-admin-password-1f60',
  wrongPassword: 'canary-wrong-password-c8d2',
  wrongKey: 'canary-wrong-key-3a99',
} as const;

/** 32 bytes, told apart from any other in base64. */
export const SECRET_KEY = Buffer.from('canary-secret-key-of-32-bytes-5e').toString('base64');

const DOCTYPES = [
  {
    name: 'Vault Row',
    istable: 1,
    fields: [
      { fieldname: 'label', label: 'Label', fieldtype: 'Data' },
      { fieldname: 'key', label: 'Key', fieldtype: 'Password' },
    ],
  },
  {
    name: 'Vault',
    autoname: 'Prompt',
    allow_rename: 1,
    track_changes: 1,
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
      { fieldname: 'token', label: 'Token', fieldtype: 'Password' },
      { fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Vault Row' },
    ],
    permissions: [
      { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
      { role: 'Keeper', read: 1, write: 1, create: 1, delete: 1 },
    ],
  },
  {
    name: 'Vault Settings',
    issingle: 1,
    track_changes: 1,
    fields: [{ fieldname: 'pin', label: 'PIN', fieldtype: 'Password' }],
    permissions: [{ role: 'Keeper', read: 1, write: 1 }],
  },
];

/** What was planted: every value that must not be seen again, by where it was put. */
export interface Planted {
  readonly secrets: ReadonlyMap<string, string>;
  /**
   * Authorization headers of callers: of an administrator, of one who may use the vault, of one without
   * roles, of nobody.
   */
  readonly callers: readonly (string | null)[];
}

/** What a client gets: a code that was redeemed, one that was not, and tokens. */
async function grantTo({ site }: TestSite, client: string): Promise<Record<string, string>> {
  const asked = { client, user: 'keeper@example.com', scope: 'all', redirectUri: 'https://client.example' };
  return site.database.transaction(async (db) => {
    const open = await issueCode(db, site, { ...asked, challenge: null });
    const code = await issueCode(db, site, { ...asked, challenge: null });
    const redemption = { client, redirectUri: asked.redirectUri, verifier: null, code };
    const { tokens } = await redeemCode(db, site, redemption);
    const { accessToken = '', refreshToken = '' } = tokens ?? {};
    return { open, code, accessToken, refreshSecret: refreshToken.split('.')[1] ?? '' };
  });
}

/** Puts a canary into every kind of secret place of a site, the way a client would, and moves the documents about. */
export async function plantCanaries(site: TestSite, receiver: string): Promise<Planted> {
  const { request } = site;
  const make = async (doctype: string, body: object) => {
    const reply = await request('POST', `/api/resource/${doctype}`, { body });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.data;
  };
  const change = async (path: string, body: object) => {
    const reply = await request('PUT', `/api/resource/${path}`, { body });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.data;
  };
  await make('Role', { role_name: 'Keeper' });
  for (const doctype of DOCTYPES) await make('DocType', doctype);

  for (const event of ['after_insert', 'on_update', 'on_trash']) {
    const headers = [
      { key: 'Authorization', value: CANARY.formerHeader },
      { key: 'X-Team', value: 'blue' },
    ];
    const hook = await make('Webhook', {
      webhook_doctype: 'Vault',
      webhook_docevent: event,
      request_url: receiver,
      secret: CANARY.webhook,
      webhook_headers: headers,
    });
    headers[0] = { key: 'Authorization', value: CANARY.header };
    await change(`Webhook/${hook.name}`, { webhook_headers: headers });
  }

  const keeper = await site.createUser('keeper@example.com', ['Keeper']);
  const nobody = await site.createUser('nobody@example.com', []);
  await change('User/keeper@example.com', { new_password: CANARY.password });
  await change('Vault Settings/Vault Settings', { pin: CANARY.single });
  const rows = [{ label: 'a', key: CANARY.row }];
  for (const name of ['kept', 'deleted', 'renamed']) await make('Vault', { name, token: CANARY.field, rows });
  await change('Vault/kept', { title: 'Changed', token: CANARY.changedField });
  const renamed = { doctype: 'Vault', old: 'renamed', new: 'renamed since' };
  await request('POST', '/api/method/frappe.client.rename_doc', {
    body: { doctype: 'Vault', old_name: renamed.old, new_name: renamed.new },
  });
  await request('DELETE', '/api/resource/Vault/deleted');
  await request('POST', '/api/method/frappe.desk.form.utils.add_comment', {
    body: {
      reference_doctype: 'Vault',
      reference_name: 'kept',
      content: 'Hello',
      comment_email: 'a@example.com',
      comment_by: 'A',
    },
  });
  // The answer of a creation that shows a secret once is kept for its key.
  await request('POST', '/api/resource/Vault', {
    body: { name: 'once', token: CANARY.field },
    headers: { 'idempotency-key': 'canary' },
  });
  const key = newApiKey(site.site.random);
  const session = await site.site.database.transaction(async (db) => {
    const creation = '2026-01-01 00:00:00.000000';
    await storeApiKey(db, { ...key, user: 'keeper@example.com', label: 'canary', creation });
    return startSession(db, site.site.clock, 'keeper@example.com', site.site.random);
  });
  const made = [...Object.entries(CANARY), ['api secret', key.secret], ['sid', session.sid]] as const;
  const secrets = new Map<string, string>([...made, ['csrf token', session.csrfToken], ['key', SECRET_KEY]]);
  const client = await make('OAuth Client', {
    app_name: 'Canary',
    default_redirect_uri: 'https://client.example',
  });
  await make('Social Login Key', {
    provider_name: 'Canary',
    base_url: 'https://id.example',
    client_id: 'canary',
    client_secret: CANARY.provider,
    enable_social_login: 1,
  });
  for (const [what, value] of await signInSecrets(site)) secrets.set(what, value);
  const grant = await grantTo(site, client.name);
  secrets.set('secret of an OAuth client', client.client_secret);
  for (const [what, value] of Object.entries(grant)) secrets.set(`OAuth ${what}`, value);
  secrets.set('admin key', site.adminKey.split(':')[1] ?? '');
  secrets.set('key, as text', Buffer.from(SECRET_KEY, 'base64').toString());
  return { secrets, callers: [`token ${site.adminKey}`, keeper, nobody, null] };
}

/** What is handed out once for signing in, of a user who has begun to set up a second factor. */
function signInSecrets({ site }: TestSite): Promise<readonly (readonly [what: string, secret: string])[]> {
  const user = 'nobody@example.com';
  return site.database.transaction(async (db) => {
    const { secret } = await enrol(site, db, user);
    const [code = ''] = await makeRecoveryCodes(site, db, user);
    const token = { kind: 'reset', user, life: 60_000 } as const;
    return [
      ['secret of the second factor', secret],
      ['recovery code', code],
      ['recovery code, plain', code.replaceAll('-', '')],
      ['key of a mail', await makeToken(db, site.clock, site.random, token)],
    ];
  });
}
