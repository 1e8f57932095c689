/** What the audit log tells of second factors, new passwords by mail, and OAuth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { settleAudit } from '../../src/access/audit-apart.ts';
import { sql } from '../../src/db/sql.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startMailbox } from '../support/mailbox.ts';
import { OAuthParty } from '../support/oauth.ts';
import { startTestSite, type TestReply } from '../support/site.ts';

const PASSWORD = 'seven-Purple-kites-27';

describeEitherEngine('audited ways of signing in', (engine) => {
  const mailbox = useStarted(startMailbox);
  const site = useStarted(() =>
    startTestSite(engine, {
      config: { siteUrl: 'https://crm.example.com', mail: { url: mailbox.url, from: 'crm@example.com' } },
    }),
  );

  const call = (method: string, body: unknown, headers: Record<string, string> = {}) =>
    site.request('POST', `/api/method/${method}`, { as: null, body, headers });
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';

  async function makeUser(name: string): Promise<string> {
    const body = { email: name, first_name: 'x', new_password: PASSWORD };
    await site.make('User', body);
    return name;
  }

  /** `event | user | credential | document` of what was told about a user or by one, oldest first. */
  async function toldOf(user: string): Promise<string[]> {
    await settleAudit(site.site.database);
    const rows = await site.site.database.reader.all(
      sql`select "event", "user", "credential", "reference_doctype" from "_audit"
            where ("user" = ${user} or "reference_name" = ${user}) and "event" <> 'user_created' order by "creation"`,
    );
    return rows.map((row) => Object.values(row).join(' | '));
  }

  test('a second factor that comes, fails, and goes', async () => {
    const user = await makeUser('factor@example.com');
    const cookie = cookieOf(await call('login', { usr: user, pwd: PASSWORD }));
    const auth = (name: string, body: unknown) => call(`chancery.auth.${name}`, body, { cookie });
    const { secret } = (await auth('enable_second_factor', { password: PASSWORD })).body.message;
    const code = () => generateSync({ secret });
    assert.equal((await auth('confirm_second_factor', { otp: code() })).status, 200);
    await site.site.database.transaction((db) => db.run(sql`update "_second_factor" set "last_step" = 0`));
    assert.equal((await call('login', { usr: user, pwd: PASSWORD, otp: '000000' })).status, 401);
    const gone = await auth('disable_second_factor', { password: PASSWORD, otp: code() });
    assert.equal(gone.status, 200, gone.text);
    assert.deepEqual((await toldOf(user)).sort(), [
      `login | ${user} | password | User`,
      `login_failed | ${user} | password | `,
      'password_changed | Administrator | key admin-key | User',
      `second_factor_disabled | ${user} | session | User`,
      `second_factor_enabled | ${user} | session | User`,
    ]);
  });

  test('a right password that a rule refuses, and wrong codes of who is signed in', async () => {
    const user = await makeUser('ruled@example.com');
    const cookie = cookieOf(await call('login', { usr: user, pwd: PASSWORD }));
    const auth = (name: string, body: unknown) => call(`chancery.auth.${name}`, body, { cookie });
    assert.equal((await auth('enable_second_factor', { password: PASSWORD })).status, 200);
    assert.equal((await auth('confirm_second_factor', { otp: '000000' })).status, 401);
    assert.ok((await toldOf(user)).includes(`login_failed | ${user} | password | `));
    const other = await makeUser('elsewhere@example.com');
    const body = { restrict_ip: '203.0.113.7' };
    await site.ok('PUT', `/api/resource/User/${other}`, { body });
    assert.equal((await call('login', { usr: other, pwd: PASSWORD })).status, 401);
    assert.ok((await toldOf(other)).includes(`login_failed | ${other} | password | `));
  });

  test('a new password by mail: asked for by nobody who is known, set by whoever read the mail', async () => {
    const user = await makeUser('mail@example.com');
    await call('frappe.core.doctype.user.user.reset_password', { user });
    await call('frappe.core.doctype.user.user.reset_password', { user: 'nobody@example.com' });
    await site.site.mailer.settled();
    const told = await toldOf(user);
    assert.ok(told.includes('password_reset_asked |  | none | User'), told.join('\n'));
    assert.deepEqual(await toldOf('nobody@example.com'), []);
  });

  test('an OAuth client that is let in, and gives it back', async () => {
    const party = new OAuthParty(site);
    const user = 'oauth@example.com';
    const cookie = await party.signedIn(user);
    const client = await party.client({ token_endpoint_auth_method: 'None' });
    const code = await party.code(cookie, client.name);
    const tokens = (await party.redeem(client.name, code)).body;
    const form = { client_id: client.name, token: tokens.access_token };
    assert.equal((await party.form('revoke_token', form)).status, 200);
    const told = (await toldOf(user)).filter((line) => line.startsWith('oauth_'));
    assert.deepEqual(told, [
      `oauth_authorized | ${user} | session | OAuth Client`,
      `oauth_revoked | ${user} | none | OAuth Client`,
    ]);
    const about = await toldOf(client.name);
    assert.ok(about.includes('oauth_client_changed | Administrator | key admin-key | OAuth Client'));
  });
});
