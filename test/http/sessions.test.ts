/** Sessions: how they end, what their users see of them, and the cookies that carry them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import type { RequestOptions, TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PASSWORD = 'correct horse battery';
const HOUR = 60 * 60_000;

const SITE = { config: { trustProxy: ['127.0.0.0/8'] }, users: { manager: ['System Manager'] } };

describeEither('sessions', SITE, (site) => {
  const call = (method: string, body: unknown, options: RequestOptions = {}) =>
    site.request('POST', `/api/method/${method}`, { as: null, body, ...options });
  const login = (usr: string, headers: Record<string, string> = {}) =>
    call('login', { usr, pwd: PASSWORD }, { headers });
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
  const who = async (cookie: string, headers: Record<string, string> = {}) =>
    (
      await site.request('GET', '/api/method/frappe.auth.get_logged_user', {
        as: null,
        headers: { ...headers, cookie },
      })
    ).body.message;
  async function makeUser(name: string, more: Record<string, unknown> = {}): Promise<string> {
    const key = await site.createUser(name, []);
    const body = { new_password: PASSWORD, ...more };
    await site.ok('PUT', `/api/resource/User/${name}`, { body });
    return key;
  }
  /** Moves what a session remembers of time into the past. */
  async function age(user: string, column: 'created_at' | 'last_used_at', millis: number): Promise<void> {
    const at = Date.now() - millis;
    await site.site.database.transaction((db) =>
      db.run(
        column === 'created_at'
          ? sql`update "_session" set "created_at" = ${at} where "user" = ${user}`
          : sql`update "_session" set "last_used_at" = ${at} where "user" = ${user}`,
      ),
    );
    site.site.authenticator.forget();
  }
  const settings = async (body: Record<string, unknown>) => {
    const path = '/api/resource/System Settings/System Settings';
    await site.ok('PUT', path, { body });
  };

  test('one ends when it is not used, and when it is old, as the settings say', async () => {
    await makeUser('aging@example.com');
    const again = async () => cookieOf(await login('aging@example.com'));
    let cookie = await again();
    await age('aging@example.com', 'last_used_at', 23 * HOUR);
    assert.equal(await who(cookie), 'aging@example.com');
    await age('aging@example.com', 'last_used_at', 24 * HOUR);
    assert.equal(await who(cookie), undefined);
    cookie = await again();
    await age('aging@example.com', 'created_at', 30 * 24 * HOUR);
    assert.equal(await who(cookie), undefined);
    cookie = await again();
    await age('aging@example.com', 'last_used_at', 2 * HOUR);
    await settings({ session_expiry: '01:30' });
    assert.equal(await who(cookie), undefined);
    await settings({ session_expiry: '', session_lifetime_days: 1 });
    cookie = await again();
    await age('aging@example.com', 'created_at', 25 * HOUR);
    assert.equal(await who(cookie), undefined);
    await settings({ session_lifetime_days: 0 });
    assert.equal(await who(cookie), 'aging@example.com');
    for (const session_expiry of ['soon', '0:00', '9999:00', '24:61']) {
      const reply = await site.request('PUT', '/api/resource/System Settings/System Settings', {
        body: { session_expiry },
      });
      assertEnvelope(reply, 'ValidationError');
    }
  });

  test('signing in ends the session that the request came with, and takes no id from it', async () => {
    await makeUser('rotating@example.com');
    const first = cookieOf(await login('rotating@example.com'));
    const second = cookieOf(await login('rotating@example.com', { cookie: first }));
    assert.deepEqual([await who(first), await who(second)], [undefined, 'rotating@example.com']);
    const planted = `sid=${'a'.repeat(64)}`;
    const third = cookieOf(await login('rotating@example.com', { cookie: planted }));
    assert.notEqual(third, planted);
    assert.equal(await who(planted), undefined);
  });

  test('simultaneous_sessions ends the one that was used longest ago', async () => {
    await makeUser('busy@example.com', { simultaneous_sessions: 2 });
    const cookies: string[] = [];
    for (const minutes of [30, 60, 0]) {
      cookies.push(cookieOf(await login('busy@example.com')));
      if (cookies.length < 3) await age('busy@example.com', 'last_used_at', minutes * 60_000);
    }
    const names = await Promise.all(cookies.map((cookie) => who(cookie)));
    assert.equal(names.filter((name) => name === 'busy@example.com').length, 2);
    assert.equal(names[2], 'busy@example.com');
  });

  test('users see theirs and end them one by one or all others; managers those of anybody', async () => {
    const key = await makeUser('seer@example.com');
    await makeUser('other@example.com');
    const agents = ['Laptop', 'Phone\u00e9 <b>', 'Tablet'];
    const cookies: string[] = [];
    for (const agent of agents) {
      const headers = { 'user-agent': agent, 'x-forwarded-for': '198.51.100.7' };
      cookies.push(cookieOf(await login('seer@example.com', headers)));
    }
    const [laptop = '', phone = '', tablet = ''] = cookies;
    const list = async (options: RequestOptions, user?: string) =>
      (await call('chancery.auth.sessions', user ? { user } : {}, options)).body.message;
    const own = await list({ headers: { cookie: laptop } });
    assert.deepEqual(own.map((one: { user_agent: string }) => one.user_agent).sort(), agents.toSorted());
    for (const one of own) {
      assert.deepEqual(Object.keys(one).sort(), [
        'address',
        'created',
        'current',
        'id',
        'last_used',
        'user_agent',
      ]);
      assert.equal(one.address, '198.51.100.7');
      assert.match(one.created, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      assert.equal(one.current, one.user_agent === 'Laptop' ? 1 : 0);
    }
    // What names a session opens none.
    for (const one of own) assert.equal(await who(`sid=${one.id}`), undefined);

    const idOf = (agent: string) => own.find((one: { user_agent: string }) => one.user_agent === agent).id;
    const end = (id: string, options: RequestOptions, user?: string) =>
      call('chancery.auth.end_session', { id, ...(user ? { user } : {}) }, options);
    const stranger = cookieOf(await login('other@example.com'));
    assertEnvelope(await end(idOf('Phoneé <b>'), { headers: { cookie: stranger } }), 'DoesNotExistError');
    const others = await end(idOf('Tablet'), { headers: { cookie: stranger } }, 'seer@example.com');
    assertEnvelope(others, 'PermissionError');
    const listed = await call(
      'chancery.auth.sessions',
      { user: 'seer@example.com' },
      { headers: { cookie: stranger } },
    );
    assertEnvelope(listed, 'PermissionError');
    assert.equal((await end(idOf('Phoneé <b>'), { headers: { cookie: laptop } })).status, 200);
    assert.deepEqual(
      [await who(laptop), await who(phone), await who(tablet)],
      ['seer@example.com', undefined, 'seer@example.com'],
    );
    const all = await call('chancery.auth.end_other_sessions', {}, { headers: { cookie: laptop } });
    assert.deepEqual(all.body, { message: { ended: 1 } });
    assert.deepEqual([await who(laptop), await who(tablet)], ['seer@example.com', undefined]);

    assert.equal((await list({ as: 'manager' }, 'seer@example.com')).length, 1);
    const ended = await call(
      'chancery.auth.end_other_sessions',
      { user: 'seer@example.com' },
      { as: 'manager' },
    );
    assert.deepEqual(ended.body, { message: { ended: 1 } });
    assert.equal(await who(laptop), undefined);
    const standard = await call('chancery.auth.sessions', { user: 'Administrator' }, { as: 'manager' });
    assertEnvelope(standard, 'PermissionError');
    assert.deepEqual(await list({ as: key }), []);
  });

  test('over https a browser gets a cookie that only this host can have set', async () => {
    await makeUser('secure@example.com');
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.8' };
    const browser = { ...https, 'sec-fetch-site': 'same-origin' };
    const reply = await login('secure@example.com', browser);
    const cookies = reply.headers.getSetCookie();
    assert.match(
      cookies[0] ?? '',
      /^__Host-sid=[0-9a-f]{64}; Path=\/; Max-Age=\d+; SameSite=Lax; HttpOnly; Secure$/,
    );
    for (const cookie of cookies) assert.match(cookie, /; Secure$/);
    const cookie = cookieOf(reply);
    assert.equal(await who(cookie, browser), 'secure@example.com');
    // A page of a sibling host can plant this one.
    const planted = cookieOf(await login('secure@example.com', https));
    assert.match(planted, /^sid=/);
    assert.equal(await who(planted, browser), undefined);
    assert.equal(await who(planted, https), 'secure@example.com');
    assert.equal(await who(`${planted}; ${cookie}`, browser), 'secure@example.com');
  });

  test('an account that is disabled or gone has none, nor gets one', async () => {
    await makeUser('leaving@example.com');
    const cookie = cookieOf(await login('leaving@example.com'));
    await site.request('PUT', '/api/resource/User/leaving@example.com', { body: { enabled: 0 } });
    assert.equal(await who(cookie), undefined);
    assertEnvelope(await login('leaving@example.com'), 'AuthenticationError');
    await site.request('PUT', '/api/resource/User/leaving@example.com', { body: { enabled: 1 } });
    assert.equal(await who(cookie), undefined, 'it does not come back');
  });

  test('limited keys do not manage the account', async () => {
    const { api_key, api_secret } = (
      await call(
        'frappe.core.doctype.user.user.generate_keys',
        { user: 'seer@example.com' },
        { as: 'manager' },
      )
    ).body.message;
    await site.site.database.transaction((db) =>
      db.run(sql`update "_api_key" set "read_only" = 1 where "api_key" = ${api_key}`),
    );
    site.site.authenticator.forget();
    const as = `token ${api_key}:${api_secret}`;
    for (const [method, body] of [
      ['chancery.auth.end_other_sessions', {}],
      ['chancery.auth.enable_second_factor', { password: PASSWORD }],
      [
        'frappe.core.doctype.user.user.update_password',
        { old_password: PASSWORD, new_password: 'tr0mbone-Lagoon' },
      ],
    ] as const) {
      assertEnvelope(await call(method, body, { as }), 'PermissionError');
    }
  });
});
