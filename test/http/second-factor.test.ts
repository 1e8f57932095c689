/** Codes of an authenticator app as second factor, on one node and on two. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import type { RequestOptions, TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PASSWORD = 'correct horse battery';

describeEither('the second factor', { config: { trustProxy: ['127.0.0.0/8'] } }, (site) => {
  const call = (method: string, body: unknown, options: RequestOptions = {}) =>
    site.request('POST', `/api/method/${method}`, { as: null, body, ...options });
  const auth = (name: string, body: unknown, cookie: string) =>
    call(`chancery.auth.${name}`, body, { headers: { cookie } });
  let addresses = 0;
  const login = (body: Record<string, unknown>) => {
    addresses += 1;
    return call('login', body, { headers: { 'x-forwarded-for': `198.51.100.${addresses}` } });
  };
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
  const who = async (cookie: string) =>
    (await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as: null, headers: { cookie } }))
      .body.message;
  // Codes of now and of the half-minutes around it: each is of use once, and not after a later one.
  const code = (secret: string, steps = 0) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps });
  /** As if time had passed: the code of now is of use again. */
  const later = (user: string) =>
    site.site.database.transaction((db) =>
      db.run(sql`update "_second_factor" set "last_step" = 0 where "user" = ${user}`),
    );

  async function makeUser(name: string): Promise<string> {
    const key = await site.createUser(name, ['Desk User']);
    const path = `/api/resource/User/${name}`;
    await site.ok('PUT', path, { body: { new_password: PASSWORD } });
    return key;
  }

  async function makeEnrolled(name: string) {
    const key = await makeUser(name);
    const cookie = cookieOf(await login({ usr: name, pwd: PASSWORD }));
    const begun = await auth('enable_second_factor', { password: PASSWORD }, cookie);
    assert.equal(begun.status, 200, begun.text);
    const { secret, otpauth } = begun.body.message;
    assert.match(otpauth, /^otpauth:\/\/totp\//);
    assert.ok(otpauth.includes(secret));
    const done = await auth('confirm_second_factor', { otp: code(secret) }, cookie);
    assert.equal(done.status, 200, done.text);
    await later(name);
    return { key, cookie, secret: String(secret), codes: done.body.message.recovery_codes as string[] };
  }

  test('is set up with the password, counts once a code confirmed it, and ends other sessions', async () => {
    const name = 'setup@example.com';
    await makeUser(name);
    const cookie = cookieOf(await login({ usr: name, pwd: PASSWORD }));
    const other = cookieOf(await login({ usr: name, pwd: PASSWORD }));
    assertEnvelope(await auth('enable_second_factor', { password: 'wrong' }, cookie), 'AuthenticationError');
    assertEnvelope(await auth('enable_second_factor', {}, cookie), 'ValidationError');
    assertEnvelope(await auth('confirm_second_factor', { otp: '123456' }, cookie), 'AuthenticationError');
    const { secret } = (await auth('enable_second_factor', { password: PASSWORD }, cookie)).body.message;
    // Only begun: a password is enough still.
    assert.equal((await login({ usr: name, pwd: PASSWORD })).body.message, 'Logged In');
    assert.deepEqual((await auth('second_factor', {}, cookie)).body.message, { enabled: 0 });
    const done = await auth('confirm_second_factor', { otp: code(secret) }, cookie);
    assert.equal(done.body.message.recovery_codes.length, 10);
    assert.deepEqual([await who(cookie), await who(other)], [name, undefined]);
    assert.equal((await auth('second_factor', {}, cookie)).body.message.enabled, 1);
    const again = await auth('enable_second_factor', { password: PASSWORD }, cookie);
    assertEnvelope(again, 'ValidationError');
    assert.ok(!again.text.includes(secret));
  });

  test('a login asks for it after the right password only, and a code works once', async () => {
    const { secret } = await makeEnrolled('twice@example.com');
    const usr = 'twice@example.com';
    const wrong = await login({ usr, pwd: 'wrong', otp: code(secret) });
    assertEnvelope(wrong, 'AuthenticationError');
    assert.equal(wrong.body.tmp_id, undefined);

    const asked = await login({ usr, pwd: PASSWORD });
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(asked.headers.getSetCookie(), []);
    assert.equal(asked.body.message, undefined);
    assert.partialDeepStrictEqual(asked.body.verification, { method: 'OTP App', setup: true });
    assert.equal(asked.body.verification.secret, undefined);
    const { tmp_id } = asked.body;
    assertEnvelope(await login({ tmp_id, otp: '000000' }), 'AuthenticationError');
    assertEnvelope(await login({ tmp_id: 'f'.repeat(64), otp: code(secret) }), 'AuthenticationError');
    const otp = code(secret);
    const done = await login({ tmp_id, otp, usr: undefined, device: 'x' });
    assert.deepEqual([done.status, done.body.message], [200, 'Logged In'], done.text);
    assert.equal(await who(cookieOf(done)), usr);

    // The code was used, and so was what the password gave.
    const next = (await login({ usr, pwd: PASSWORD })).body.tmp_id;
    assertEnvelope(await login({ tmp_id: next, otp }), 'AuthenticationError');
    await later(usr);
    assertEnvelope(await login({ tmp_id, otp: code(secret) }), 'AuthenticationError');
    assert.equal((await login({ tmp_id: next, otp: code(secret) })).status, 200);
    await later(usr);
    const atOnce = await login({ usr, pwd: PASSWORD, otp: code(secret, 1) });
    assert.equal(atOnce.status, 200, atOnce.text);
    // Not after a later one.
    assertEnvelope(await login({ usr, pwd: PASSWORD, otp: code(secret) }), 'AuthenticationError');
    assertEnvelope(await login({ usr, pwd: PASSWORD, otp: code(secret, 5) }), 'AuthenticationError');
  });

  test('of many at once with one code, one gets in', async () => {
    const { secret } = await makeEnrolled('race@example.com');
    const tokens = [];
    for (let n = 0; n < 6; n += 1) {
      tokens.push((await login({ usr: 'race@example.com', pwd: PASSWORD })).body.tmp_id);
    }
    const otp = code(secret);
    const replies = await Promise.all(tokens.map((tmp_id) => login({ tmp_id, otp })));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  });

  test('guesses are counted, and the password does not begin the count anew', async () => {
    const { secret } = await makeEnrolled('guessed@example.com');
    const usr = 'guessed@example.com';
    let last: TestReply | null = null;
    for (let n = 0; n < 10; n += 1) {
      const asked = await login({ usr, pwd: PASSWORD });
      assert.equal(asked.status, 200, `${n}: ${asked.text}`);
      last = await login({ tmp_id: asked.body.tmp_id, otp: '000001' });
      assert.equal(last.status, 401);
    }
    last = await login({ usr, pwd: PASSWORD });
    assertEnvelope(last, 'TooManyRequestsError');
    assertEnvelope(await login({ usr, pwd: PASSWORD, otp: code(secret) }), 'TooManyRequestsError');
  });

  test('a recovery code works once, in any spelling; new ones void the former', async () => {
    const { codes, secret } = await makeEnrolled('lost@example.com');
    const usr = 'lost@example.com';
    const [first = '', second = '', third = ''] = codes;
    const spelled = ` ${first.toUpperCase().replaceAll('-', ' ')} `;
    const done = await login({ usr, pwd: PASSWORD, otp: spelled });
    assert.equal(done.status, 200, done.text);
    assertEnvelope(await login({ usr, pwd: PASSWORD, otp: first }), 'AuthenticationError');
    assert.equal((await login({ usr, pwd: PASSWORD, otp: second })).status, 200);
    const body = { password: PASSWORD, otp: code(secret) };
    const renewed = await auth('new_recovery_codes', body, cookieOf(done));
    assert.equal(renewed.body.message.recovery_codes.length, 10, renewed.text);
    assertEnvelope(await login({ usr, pwd: PASSWORD, otp: third }), 'AuthenticationError');
    const [fresh] = renewed.body.message.recovery_codes;
    assert.equal((await login({ usr, pwd: PASSWORD, otp: fresh })).status, 200);
    const stored = JSON.stringify(await site.site.database.reader.all(sql`select * from "_recovery_code"`));
    assert.ok(!stored.includes(third.replaceAll('-', '')) && !stored.includes(third));
  });

  test('going without takes password and code; a System Manager takes it from others', async () => {
    const { secret, cookie, key } = await makeEnrolled('without@example.com');
    const usr = 'without@example.com';
    const off = (body: Record<string, unknown>) => auth('disable_second_factor', body, cookie);
    assertEnvelope(await off({ password: PASSWORD }), 'ValidationError');
    assertEnvelope(await off({ password: PASSWORD, otp: '000000' }), 'AuthenticationError');
    assertEnvelope(await off({ password: 'wrong', otp: code(secret) }), 'AuthenticationError');
    assert.equal((await login({ usr, pwd: PASSWORD })).body.message, undefined);
    assert.equal((await off({ password: PASSWORD, otp: code(secret) })).status, 200);
    assert.equal((await login({ usr, pwd: PASSWORD })).body.message, 'Logged In');

    const lost = await makeEnrolled('phoneless@example.com');
    const reset = (as: string, user: string) => call('chancery.auth.reset_second_factor', { user }, { as });
    assertEnvelope(await reset(lost.key, 'phoneless@example.com'), 'PermissionError');
    assertEnvelope(await reset(key, 'phoneless@example.com'), 'PermissionError');
    assert.equal((await reset(`token ${site.adminKey}`, 'phoneless@example.com')).status, 200);
    const again = await login({ usr: 'phoneless@example.com', pwd: PASSWORD });
    assert.equal(again.body.message, 'Logged In');
  });

  test('keys do without it, and its secret is nowhere in clear', async () => {
    const { key, secret } = await makeEnrolled('keyed@example.com');
    const reply = await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as: key });
    assert.equal(reply.body.message, 'keyed@example.com');
    for (const table of ['_secret', '_second_factor', '_token', '_session'] as const) {
      const rows = await site.site.database.reader.all({ text: `select * from "${table}"`, values: [] });
      assert.ok(!JSON.stringify(rows).includes(secret), table);
    }
    const fetched = await call(
      'frappe.client.get_password',
      { doctype: 'User', name: 'keyed@example.com', fieldname: 'otp_secret' },
      { as: `token ${site.adminKey}` },
    );
    assertEnvelope(fetched, 'DataError');
  });

  test('follows a renamed user, and goes with a deleted one', async () => {
    const { secret } = await makeEnrolled('maiden@example.com');
    const renamed = await call(
      'frappe.client.rename_doc',
      { doctype: 'User', old_name: 'maiden@example.com', new_name: 'married@example.com' },
      { as: `token ${site.adminKey}` },
    );
    assert.equal(renamed.status, 200, renamed.text);
    const done = await login({ usr: 'married@example.com', pwd: PASSWORD, otp: code(secret) });
    assert.equal(done.status, 200, done.text);
    await site.request('DELETE', '/api/resource/User/married@example.com');
    for (const table of ['_second_factor', '_recovery_code'] as const) {
      const rows = await site.site.database.reader.all({ text: `select "user" from "${table}"`, values: [] });
      assert.ok(!rows.some((row) => row['user'] === 'married@example.com'), table);
    }
  });

  test('where a role asks for it, a first login sets it up', async () => {
    await site.request('POST', '/api/resource/Role', { body: { role_name: 'Guarded', two_factor_auth: 1 } });
    await makeUser('guarded@example.com');
    const usr = 'guarded@example.com';
    await site.request('PUT', `/api/resource/User/${usr}`, { body: { roles: [{ role: 'Guarded' }] } });
    assert.equal((await login({ usr, pwd: PASSWORD })).body.message, 'Logged In');
    const settings = (enable_two_factor_auth: number) =>
      site.request('PUT', '/api/resource/System Settings/System Settings', {
        body: { enable_two_factor_auth },
      });
    assert.equal((await settings(1)).status, 200);
    const asked = (await login({ usr, pwd: PASSWORD })).body;
    assert.equal(asked.verification.setup, false);
    const otp = code(asked.verification.secret);
    const done = await login({ tmp_id: asked.tmp_id, otp });
    assert.deepEqual([done.body.message, done.body.recovery_codes.length], ['Logged In', 10], done.text);
    assert.equal((await login({ usr, pwd: PASSWORD })).body.verification.setup, true);
    await makeUser('unguarded@example.com');
    assert.equal((await login({ usr: 'unguarded@example.com', pwd: PASSWORD })).body.message, 'Logged In');
    assert.equal((await settings(0)).status, 200);
  });
});
