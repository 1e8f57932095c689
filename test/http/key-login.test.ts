/**
 * `chancery.auth.login_with_key`: a session in exchange for an API key, which gives no more than the key and
 * ends with it.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';

const METHOD = '/api/method/chancery.auth.login_with_key';

interface Key {
  readonly api_key: string;
  readonly api_secret: string;
}

describeEither('signing in with a key', {}, (site) => {
  before(async () => {
    await site.createUser('ann@example.com', ['System Manager']);
  });

  async function makeKey(limits: object = {}): Promise<Key> {
    const body = { user: 'ann@example.com', ...limits };
    return site.call('chancery.api_key.create', body);
  }
  const login = (body: object, headers: Record<string, string> = {}) =>
    site.request('POST', METHOD, { as: null, body, headers });
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
  const who = async (cookie: string) => {
    const options = { as: null, headers: { cookie } };
    return (await site.request('GET', '/api/method/frappe.auth.get_logged_user', options)).body.message;
  };
  async function signedIn(key: Key): Promise<string> {
    const reply = await login(key);
    assert.equal(reply.status, 200, reply.text);
    const cookie = cookieOf(reply);
    assert.equal(await who(cookie), 'ann@example.com');
    return cookie;
  }

  test('it answers as login does, with cookies that hold nothing of the key', async () => {
    const key = await makeKey();
    const reply = await login(key);
    assert.deepEqual(reply.body, { message: 'Logged In', home_page: '/app', full_name: 'ann' });
    assert.ok(!reply.headers.getSetCookie().join().includes(key.api_secret));
    assert.match(reply.headers.getSetCookie()[0] ?? '', /^sid=[0-9a-f]{64}; .*HttpOnly/);
    const [entry] = await site.ok('GET', '/api/resource/Audit Log?filters={"event":"login"}&fields=["*"]');
    assert.equal(entry.user, 'ann@example.com');
    assert.ok(!JSON.stringify(entry).includes(key.api_secret));
  });

  test('a wrong secret, an unknown key and what is no key are refused alike, and counted', async () => {
    const key = await makeKey();
    const wrong: readonly Key[] = [
      { ...key, api_secret: 'x'.repeat(64) },
      { api_key: '0123456789abcde', api_secret: key.api_secret },
      { api_key: 'a b', api_secret: 'x' },
      { api_key: `${key.api_key}:`, api_secret: key.api_secret },
      { api_key: key.api_key, api_secret: 'é' },
    ];
    for (const one of wrong) {
      const reply = await login(one);
      assert.deepEqual([reply.status, reply.body.exc_type], [401, 'AuthenticationError'], reply.text);
      assert.match(reply.text, /Invalid API key or secret/);
    }
    assert.equal((await login({ api_key: key.api_key })).status, 417);
    let last = await login({ ...key, api_secret: 'wrong' });
    for (let tries = 0; tries < 20 && last.status === 401; tries += 1)
      last = await login({ ...key, api_secret: 'wrong' });
    assert.equal(last.status, 429);
    assert.ok(Number(last.headers.get('retry-after')) > 0);
  });

  test('pages of other sites sign nobody in', async () => {
    const reply = await login(await makeKey(), { origin: 'https://elsewhere.example' });
    assert.deepEqual([reply.status, reply.body.exc_type], [400, 'CSRFTokenError']);
    assert.deepEqual(reply.headers.getSetCookie(), []);
  });

  test('a key that is limited in any way begins no session', async () => {
    for (const limits of [
      { read_only: 1 },
      { doctypes: ['User'] },
      { methods: ['ping', 'chancery.auth.login_with_key'] },
      { allowed_ips: ['127.0.0.0/8'] },
      { expires_on: '2099-01-01 00:00:00' },
    ]) {
      const reply = await login(await makeKey(limits));
      assert.deepEqual([reply.status, reply.body.exc_type], [403, 'PermissionError'], JSON.stringify(limits));
      assert.deepEqual(reply.headers.getSetCookie(), []);
    }
  });

  test('the session ends when the key is revoked, disabled, limited or given another secret', async () => {
    const path = (key: Key) => `/api/resource/API Key/${key.api_key}`;
    const ways: readonly ((key: Key) => Promise<TestReply>)[] = [
      (key) => site.request('DELETE', path(key)),
      (key) => site.request('PUT', path(key), { body: { enabled: 0 } }),
      (key) => site.request('PUT', path(key), { body: { read_only: 1 } }),
      ({ api_key }) =>
        site.request('POST', '/api/method/chancery.api_key.rotate', { body: { api_key, overlap_hours: 0 } }),
    ];
    for (const [index, way] of ways.entries()) {
      const [key, other] = [await makeKey(), await makeKey()];
      const [cookie, untouched] = [await signedIn(key), await signedIn(other)];
      assert.ok((await way(key)).status < 300);
      assert.equal(await who(cookie), undefined, `way ${index}`);
      assert.equal(await who(untouched), 'ann@example.com');
    }
  });

  test('while a former secret goes on, so does its session', async () => {
    const key = await makeKey();
    const cookie = await signedIn(key);
    const body = { api_key: key.api_key, overlap_hours: 1 };
    await site.request('POST', '/api/method/chancery.api_key.rotate', { body });
    assert.equal(await who(cookie), 'ann@example.com');
    const sessions = '/api/method/chancery.auth.sessions?user=ann@example.com';
    const count = async () => (await site.request('GET', sessions)).body.message.length;
    const before = await count();
    await site.request('DELETE', `/api/resource/API Key/${key.api_key}`);
    assert.equal(await count(), before - 1);
    assert.equal(await who(cookie), undefined);
  });

  test('who needs a second factor signs in with the password', async () => {
    const key = await makeKey();
    await site.request('PUT', '/api/resource/Role/System Manager', { body: { two_factor_auth: 1 } });
    const settings = '/api/resource/System Settings/System Settings';
    await site.request('PUT', settings, { body: { enable_two_factor_auth: 1 } });
    const reply = await login(key);
    assert.deepEqual([reply.status, reply.body.exc_type], [403, 'PermissionError'], reply.text);
  });
});
