/** API keys: named, limited in time and to addresses, replaced with overlap, managed by their users. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const WHO = '/api/method/frappe.auth.get_logged_user';
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

describeEither('API keys', { users: { ann: [], bob: [], manager: ['System Manager'] } }, (site) => {
  const call = (method: string, body: object, as?: string | null) =>
    site.request('POST', `/api/method/chancery.api_key.${method}`, { body, as });
  const ok = (reply: TestReply) => {
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    return reply.body;
  };
  const make = async (body: object, as?: string) => {
    const { api_key: key, api_secret: secret } = ok(await call('create', body, as)).message;
    assert.match(secret, /^[0-9a-f]{64}$/);
    return { key, secret, header: `token ${key}:${secret}` };
  };
  const who = async (as: string) => (await site.request('GET', WHO, { as })).status;
  const doc = (method: string, key: string, body?: object, as?: string) =>
    site.request(method, `/api/resource/API%20Key/${key}`, { ...(body && { body }), ...(as && { as }) });
  const stored = (change: string, key: string) =>
    site.site.database.transaction((db) =>
      db.run(
        change === 'expired'
          ? sql`update "_api_key" set "expires_at" = 1 where "api_key" = ${key}`
          : sql`update "_api_key" set "old_until" = 1 where "api_key" = ${key}`,
      ),
    );

  test('users make, name, see, disable and end their own', async () => {
    const one = await make({ label: 'laptop' }, 'ann');
    const two = await make({ label: 'phone' }, 'ann');
    assert.equal(await who(one.header), 200);
    const list = ok(
      await site.request('GET', '/api/resource/API%20Key?fields=["name","user","label","enabled"]', {
        as: 'ann',
      }),
    ).data;
    assert.ok(list.every((row: { user: string }) => row.user === ANN));
    assert.deepEqual(
      list
        .map((row: { label: string }) => row.label)
        .filter((label: string) => label !== 'test')
        .sort(),
      ['laptop', 'phone'],
    );
    const shown = await doc('GET', one.key, undefined, 'ann');
    assert.equal(ok(shown).data.owner, ANN);
    assert.ok(!shown.text.includes(one.secret));
    // Noted beside the request, which does not wait for it.
    const used = await until(async () => ok(await doc('GET', one.key, undefined, 'ann')).data.last_used);
    assert.match(String(used), /^\d{4}-/);
    ok(await doc('PUT', one.key, { enabled: 0, label: 'old laptop', user: BOB, last_used: null }, 'ann'));
    assert.equal(await who(one.header), 401);
    assert.equal(await who(two.header), 200);
    ok(await doc('PUT', one.key, { enabled: 1 }, 'ann'));
    assert.equal(await who(one.header), 200);
    const again = ok(await doc('GET', one.key, undefined, 'ann')).data;
    assert.deepEqual([again.label, again.user], ['old laptop', ANN]);
    ok(await doc('DELETE', one.key, undefined, 'ann'));
    assert.equal(await who(one.header), 401);
    assert.equal((await doc('GET', one.key)).status, 404);
  });

  test('those of others are for System Managers, those of Administrator for Administrator', async () => {
    const mine = await make({}, 'ann');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assertEnvelope(
        await doc(method, mine.key, method === 'PUT' ? { enabled: 0 } : undefined, 'bob'),
        'PermissionError',
      );
      assertEnvelope(
        await doc(method, 'nothing', method === 'PUT' ? {} : undefined, 'bob'),
        'PermissionError',
      );
    }
    assertEnvelope(await call('rotate', { api_key: mine.key }, 'bob'), 'PermissionError');
    assertEnvelope(await call('create', { user: ANN }, 'bob'), 'PermissionError');
    assertEnvelope(await call('create', {}, null), 'PermissionError');
    const given = await make({ user: ANN }, 'manager');
    ok(await doc('PUT', given.key, { label: 'given' }, 'manager'));
    assertEnvelope(await call('create', { user: 'Administrator' }, 'manager'), 'PermissionError');
    assertEnvelope(await doc('GET', 'admin-key', undefined, 'manager'), 'PermissionError');
    assertEnvelope(await doc('DELETE', 'admin-key', undefined, 'manager'), 'PermissionError');
    const all = ok(
      await site.request('GET', '/api/resource/API%20Key?fields=["user"]', { as: 'manager' }),
    ).data;
    assert.ok(all.some((row: { user: string }) => row.user === ANN));
    assert.ok(!all.some((row: { user: string }) => row.user === 'Administrator'));
    assert.equal((await call('create', { user: 'Guest' })).status, 417);
    assert.equal((await call('create', { user: 'nobody@example.com' })).status, 404);
  });

  test('a key ends when it expires', async () => {
    const key = await make({ expires_on: '2999-01-01 12:00:00' }, 'ann');
    assert.equal(ok(await doc('GET', key.key, undefined, 'ann')).data.expires_on, '2999-01-01 12:00:00');
    assert.equal(await who(key.header), 200);
    await stored('expired', key.key);
    site.site.authenticator.forget();
    assertEnvelope(await site.request('GET', WHO, { as: key.header }), 'AuthenticationError');
    assert.equal((await call('create', { expires_on: 'soon' }, 'ann')).status, 417);
  });

  test('a new secret works at once, the former one as long as it was given', async () => {
    const key = await make({}, 'ann');
    const { message } = ok(await call('rotate', { api_key: key.key, overlap_hours: 1 }, 'ann'));
    const next = `token ${key.key}:${message.api_secret}`;
    assert.deepEqual([await who(key.header), await who(next)], [200, 200]);
    assert.equal(
      ok(await doc('GET', key.key, undefined, 'ann')).data.old_secret_until,
      message.old_secret_until,
    );
    await stored('over', key.key);
    site.site.authenticator.forget();
    assert.deepEqual([await who(key.header), await who(next)], [401, 200]);
    const last = ok(await call('rotate', { api_key: key.key, overlap_hours: 0 }, 'ann')).message;
    assert.equal(last.old_secret_until, null);
    assert.deepEqual([await who(next), await who(`token ${key.key}:${last.api_secret}`)], [401, 200]);
    for (const overlap_hours of [-1, 169, 1.5, 'x']) {
      assert.equal((await call('rotate', { api_key: key.key, overlap_hours }, 'ann')).status, 417);
    }
  });

  test('a key that is bound to addresses is none elsewhere', async () => {
    const here = await make({ allowed_ips: ['10.0.0.0/8', '127.0.0.1'] }, 'ann');
    const mapped = await make({ allowed_ips: '["::ffff:127.0.0.0/104"]' }, 'ann');
    const there = await make({ allowed_ips: ['192.0.2.1', '2001:db8::/32'] }, 'ann');
    assert.deepEqual(
      [await who(here.header), await who(mapped.header), await who(there.header)],
      [200, 200, 401],
    );
    const forwarded = { 'x-forwarded-for': '192.0.2.1' };
    assert.equal((await site.request('GET', WHO, { as: there.header, headers: forwarded })).status, 401);
    for (const one of ['10.0.0.0/33', 'localhost', '10.1', 'fe80::1%eth0', '1.2.3.4/']) {
      assert.equal((await call('create', { allowed_ips: [one] }, 'ann')).status, 417, one);
    }
  });

  test('a disabled user, and one whose role is taken, are refused by the next request', async () => {
    const header = await site.createUser('clerk@example.com', ['System Manager']);
    const roles = () => site.request('GET', '/api/resource/Role', { as: header });
    const set = (body: object) => site.request('PUT', '/api/resource/User/clerk@example.com', { body });
    assert.equal((await roles()).status, 200);
    ok(await set({ roles: [] }));
    assert.equal((await roles()).status, 403);
    ok(await set({ enabled: 0 }));
    assert.equal((await roles()).status, 401);
  });

  test('what is no limit is refused, and there are not too many keys', async () => {
    const bad = [
      { doctypes: ['Nothing'] },
      { methods: ['rm -rf /;'] },
      { label: 'x'.repeat(141) },
      { colour: 'red' },
    ];
    for (const body of bad.slice(0, 3)) assert.equal((await call('create', body, 'ann')).status, 417);
    const many = await site.createUser('many@example.com', []);
    for (let made = 1; made < 100; made++) await make({}, many);
    assertEnvelope(await call('create', {}, many), 'ValidationError');
  });

  test('generate_keys names a key in the User document, and gives it a new secret each time', async () => {
    const generate = () =>
      site.request('POST', '/api/method/frappe.core.doctype.user.user.generate_keys', {
        as: 'manager',
        body: { user: BOB },
      });
    const first = ok(await generate()).message;
    const user = await site.request('GET', `/api/resource/User/${BOB}`);
    assert.equal(user.body.data.api_key, first.api_key);
    assert.match(user.body.data.api_secret, /^\*+$/);
    const second = ok(await generate()).message;
    assert.equal(second.api_key, first.api_key);
    assert.deepEqual(
      [
        await who(`token ${first.api_key}:${first.api_secret}`),
        await who(`token ${second.api_key}:${second.api_secret}`),
      ],
      [401, 200],
    );
    assert.equal(await who('bob'), 200);
    ok(
      await site.request('PUT', `/api/resource/User/${BOB}`, {
        body: { api_key: 'x', api_secret: 'y', last_name: 'B' },
      }),
    );
    assert.equal(await who(`token ${second.api_key}:${second.api_secret}`), 200);
    const password = await site.request(
      'GET',
      `/api/method/frappe.client.get_password?doctype=User&name=${BOB}&fieldname=api_secret`,
    );
    assert.ok(!password.text.includes(second.api_secret));
    ok(await doc('DELETE', second.api_key));
    const after = ok(await site.request('GET', `/api/resource/User/${BOB}`)).data;
    assert.deepEqual([after.api_key, after.api_secret], [undefined, undefined]);
  });

  test('keys go with their user, and do not come back with the name', async () => {
    const gone = await site.createUser('gone@example.com', []);
    ok(await site.request('DELETE', '/api/resource/User/gone@example.com'));
    await site.createUser('gone@example.com', []);
    assert.equal(await who(gone), 401);
    const merged = await site.createUser('merged@example.com', []);
    ok(
      await site.request('POST', '/api/method/frappe.client.rename_doc', {
        body: { doctype: 'User', old_name: 'merged@example.com', new_name: ANN, merge: true },
      }),
    );
    await site.createUser('merged@example.com', []);
    assert.equal(await who(merged), 401);
  });

  test('keys of another doctype, as Frappe would look them up, are refused', async () => {
    const headers = { 'Frappe-Authorization-Source': 'Device' };
    assertEnvelope(await site.request('GET', WHO, { as: 'ann', headers }), 'AuthenticationError');
    const own = { 'Frappe-Authorization-Source': 'User' };
    await site.ok('GET', WHO, { as: 'ann', headers: own });
  });
});
