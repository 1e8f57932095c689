/** Who calls: keys, sessions, cookies, and requests that other sites' pages make. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { csrfTokenOf } from '../../src/access/session.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const WHO = '/api/method/frappe.auth.get_logged_user';
const PASSWORD = 'correct horse battery';

describeEither('authentication', {}, (site) => {
  let agent: string;
  before(async () => {
    agent = await site.createUser('agent@example.com', ['Desk User']);
    await site.ok('PUT', '/api/resource/User/agent@example.com', { body: { new_password: PASSWORD } });
  });

  const who = (as: string | null, headers: Record<string, string> = {}) =>
    site.request('GET', WHO, { as, headers });
  const login = (usr: string, pwd: string) =>
    site.request('POST', '/api/method/login', { as: null, body: { usr, pwd } });
  const sidOf = (reply: TestReply) => /^sid=([^;]*)/.exec(reply.headers.getSetCookie()[0] ?? '')?.[1] ?? '';

  test('token and Basic, the scheme in any case', async () => {
    const pair = agent.replace('token ', '');
    const basic = Buffer.from(pair).toString('base64');
    for (const header of [
      `token ${pair}`,
      `Token ${pair}`,
      `TOKEN  ${pair}`,
      `Basic ${basic}`,
      `basic ${basic}`,
    ]) {
      const reply = await who(header);
      assert.deepEqual([reply.status, reply.body], [200, { message: 'agent@example.com' }], header);
    }
  });

  test('credentials that do not hold are 401, in one voice', async () => {
    const [key = '', secret = ''] = agent.replace('token ', '').split(':');
    const bad = [
      `token ${key}:${secret}x`,
      `token ${key}:`,
      `token nobody:${secret}`,
      `token ${key}`,
      `token :${secret}`,
      `Bearer ${key}:${secret}`,
      `Basic ${Buffer.from(`${key}:wrong`).toString('base64')}`,
      'Basic !!!!',
      `Digest ${key}:${secret}`,
      "token ' or 1=1--:x",
      'token',
    ];
    const answers = new Set<string>();
    for (const header of bad) {
      const reply = await who(header);
      assertEnvelope(reply, 'AuthenticationError');
      answers.add(reply.text);
    }
    assert.equal(answers.size, 1);
    for (const path of ['/api/resource/User', '/api/nothing', '/api/method/ping']) {
      assert.equal((await site.request('GET', path, { as: 'token a:b' })).status, 401, path);
    }
  });

  test('without credentials the caller is Guest and gets 403, never the name Guest', async () => {
    assertEnvelope(await who(null), 'PermissionError');
    assert.deepEqual((await site.request('GET', '/api/method/ping', { as: null })).body, { message: 'pong' });
  });

  test('a key stops at once when its user is disabled, and works again when enabled', async () => {
    const header = await site.createUser('leaver@example.com', []);
    const set = (enabled: number) =>
      site.request('PUT', '/api/resource/User/leaver@example.com', { body: { enabled } });
    assert.equal((await who(header)).status, 200);
    assert.equal((await set(0)).status, 200);
    assertEnvelope(await who(header), 'AuthenticationError');
    assert.equal((await set(1)).status, 200);
    assert.equal((await who(header)).status, 200);
  });

  describe('sessions', () => {
    test('login sets the cookies in the order that clients count on', async () => {
      const reply = await login('agent@example.com', PASSWORD);
      assert.equal(reply.status, 200, reply.text);
      assert.partialDeepStrictEqual(reply.body, { message: 'Logged In', home_page: '/app' });
      assert.equal(typeof reply.body.full_name, 'string');
      const cookies = reply.headers.getSetCookie();
      const names = cookies.map((cookie) => cookie.slice(0, cookie.indexOf('=')));
      assert.deepEqual(names, ['sid', 'system_user', 'full_name', 'user_id', 'user_image', 'user_lang']);
      assert.match(cookies[0] ?? '', /^sid=[0-9a-f]{64}; Path=\/; Max-Age=\d+; SameSite=Lax; HttpOnly$/);
      for (const cookie of cookies.slice(1)) assert.doesNotMatch(cookie, /HttpOnly/);
      assert.match(cookies[3] ?? '', /^user_id=agent%40example\.com;/);
    });

    test('a login tells users without access to the desk', async () => {
      await site.createUser('portal@example.com', []);
      await site.ok('PUT', '/api/resource/User/portal@example.com', { body: { new_password: PASSWORD } });
      const reply = await login('portal@example.com', PASSWORD);
      assert.deepEqual(reply.body, { message: 'No App', home_page: '/', full_name: 'portal' });
      assert.match(reply.headers.getSetCookie()[1] ?? '', /^system_user=no;/);
    });

    test('the cookie signs in until logout', async () => {
      const sid = sidOf(await login('AGENT@example.com', PASSWORD));
      const cookie = { cookie: `a=b; sid=${sid}; user_id=x` };
      assert.deepEqual((await who(null, cookie)).body, { message: 'agent@example.com' });
      const logout = await site.request('POST', '/api/method/logout', { as: null, headers: cookie });
      assert.deepEqual([logout.status, logout.body], [200, {}]);
      assert.match(logout.headers.getSetCookie()[0] ?? '', /^sid=; Path=\/; Max-Age=0;/);
      assertEnvelope(await who(null, cookie), 'PermissionError');
    });

    test('an unknown, empty or Guest sid is Guest', async () => {
      for (const sid of ['', 'Guest', 'f'.repeat(64), "' or 1=1--"]) {
        assertEnvelope(await who(null, { cookie: `sid=${sid}` }), 'PermissionError');
      }
    });

    test('the header decides, the cookie is then not looked at', async () => {
      const cookie = { cookie: `sid=${sidOf(await login('agent@example.com', PASSWORD))}` };
      assert.deepEqual((await who(`token ${site.adminKey}`, cookie)).body, { message: 'Administrator' });
      assertEnvelope(await who('token a:b', cookie), 'AuthenticationError');
    });

    test('login by form, by query and at the root', async () => {
      const query = new URLSearchParams({ usr: 'agent@example.com', pwd: PASSWORD }).toString();
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const [path, body] of [
        ['/api/method/login', query],
        ['/', `cmd=login&${query}`],
        [`/?cmd=login&${query}`, undefined],
        [`/api/method/login?${query}`, undefined],
      ] as const) {
        const reply = await site.request('POST', path, { as: null, body, headers: body ? form : {} });
        assert.deepEqual([reply.status, reply.body.message], [200, 'Logged In'], path);
      }
      const root = await site.request('POST', '/', {
        as: null,
        body: { cmd: 'login', usr: 'agent@example.com', pwd: PASSWORD },
      });
      assert.equal(root.body.message, 'Logged In');
      assert.equal((await site.request('GET', `/?cmd=login&${query}`, { as: null })).status, 405);
    });

    test('a wrong password, an unknown and a disabled user get the same answer', async () => {
      await site.createUser('gone@example.com', []);
      await site.ok('PUT', '/api/resource/User/gone@example.com', {
        body: { new_password: PASSWORD, enabled: 0 },
      });
      const texts = new Set<string>();
      for (const [usr, pwd] of [
        ['agent@example.com', 'wrong password'],
        ['nobody@example.com', PASSWORD],
        ['gone@example.com', PASSWORD],
        ['agent@example.com', 'x'.repeat(100_000)],
        ["' or '1'='1", PASSWORD],
        ['Guest', ''.padEnd(12, 'x')],
      ] as const) {
        const reply = await login(usr, pwd);
        assertEnvelope(reply, 'AuthenticationError');
        assert.equal(reply.body.message, 'Invalid login credentials');
        assert.deepEqual(reply.headers.getSetCookie(), []);
        texts.add(reply.text);
      }
      assert.equal(texts.size, 1);
      for (const body of [{}, { usr: 'agent@example.com' }, { usr: ['a'], pwd: {} }, { usr: '', pwd: '' }])
        for (const path of ['/api/method/login', '/?cmd=login']) {
          const reply = await site.request('POST', path, { as: null, body });
          assertEnvelope(reply, 'AuthenticationError');
          assert.equal(reply.body.message, 'Incomplete login details');
        }
    });

    test('a session ends when its user is disabled', async () => {
      await site.createUser('short@example.com', []);
      await site.request('PUT', '/api/resource/User/short@example.com', { body: { new_password: PASSWORD } });
      const cookie = { cookie: `sid=${sidOf(await login('short@example.com', PASSWORD))}` };
      assert.equal((await who(null, cookie)).status, 200);
      await site.request('PUT', '/api/resource/User/short@example.com', { body: { enabled: 0 } });
      assertEnvelope(await who(null, cookie), 'PermissionError');
    });
  });

  describe('requests that other sites make with our cookie', () => {
    let sid: string;
    before(async () => {
      sid = sidOf(await login('agent@example.com', PASSWORD));
    });
    const write = (headers: Record<string, string>, as: string | null = null) =>
      site.request('POST', '/api/method/ping', { as, headers: { cookie: `sid=${sid}`, ...headers } });

    test('are refused when the browser says that they are cross-site', async () => {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site', 'x-frappe-csrf-token': '' },
        { origin: 'https://evil.example', 'x-frappe-csrf-token': 'wrong' },
      ] as Record<string, string>[]) {
        assertEnvelope(await write(headers), 'CSRFTokenError');
      }
    });

    test('are refused with bodies of every kind', async () => {
      const json = '{"doctype":"ToDo","description":"Forged"}';
      const form = new FormData();
      form.set('description', 'Forged');
      const cookie = { cookie: `sid=${sid}`, origin: 'https://evil.example' };
      for (const path of ['/api/resource/ToDo', '/api/v2/document/ToDo', '/?cmd=frappe.client.insert'])
        for (const [body, type] of [
          [json, 'application/json'],
          [json, 'text/plain'],
          [json, 'application/x-www-form-urlencoded'],
          ['description=Forged', 'application/x-www-form-urlencoded'],
          [Buffer.from(json), null],
          [form, null],
        ] as const) {
          const headers = type === null ? cookie : { ...cookie, 'content-type': type };
          const reply = await site.request('POST', path, { as: null, body, headers });
          assert.equal(reply.status, 400, `${path} ${type}`);
          assert.match(reply.text, /CSRFTokenError/);
        }
    });

    test('are let through from here, from clients that are no browsers, and with the token', async () => {
      for (const headers of [
        {},
        { 'x-frappe-csrf-token': '' },
        { origin: site.url },
        { 'sec-fetch-site': 'same-origin', origin: site.url },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://evil.example', 'x-frappe-csrf-token': csrfTokenOf(sid) },
      ] as Record<string, string>[]) {
        assert.equal((await write(headers)).status, 200, JSON.stringify(headers));
      }
    });

    test('reading, and writing with a key, never need a token', async () => {
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      assert.equal((await write(headers, agent)).status, 200);
      await site.ok('GET', WHO, { as: null, headers: { cookie: `sid=${sid}`, ...headers } });
    });
  });

  describe('pages of other sites', () => {
    const pwd = PASSWORD;
    const FOREIGN = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

    test('sign no browser in', async () => {
      const body = { usr: 'agent@example.com', pwd };
      for (const path of ['/api/method/login', '/api/v2/method/login', '/?cmd=login', '/login']) {
        for (const headers of [FOREIGN, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
          for (const [sent, type] of [
            [new URLSearchParams(body).toString(), 'application/x-www-form-urlencoded'],
            [JSON.stringify(body), 'text/plain'],
          ] as const) {
            const all: Record<string, string> = { ...(headers as object), 'content-type': type };
            const reply = await site.request('POST', path, { as: null, body: sent, headers: all });
            assert.equal(reply.status, 400, path);
            assert.match(reply.text, /CSRFTokenError/);
            assert.deepEqual(reply.headers.getSetCookie(), []);
          }
      }
    });

    test('sign no browser out, by no verb', async () => {
      const cookie = `sid=${sidOf(await login('agent@example.com', pwd))}`;
      const out = (method: string, headers: Record<string, string>) =>
        site.request(method, '/api/method/logout', { as: null, headers });
      for (const reply of [
        await out('GET', { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
        // Without the cookie, which browsers keep from such a form, the answer must not take it away either.
        await out('POST', FOREIGN),
      ]) {
        assertEnvelope(reply, 'CSRFTokenError');
        assert.deepEqual(reply.headers.getSetCookie(), []);
      }
      assert.equal((await who(null, { cookie })).status, 200);
      // Nor by way of the page to sign in on, which goes nowhere by itself for who is signed in.
      const page = await site.request('GET', '/login?redirect-to=/api/method/logout', {
        as: null,
        headers: { cookie },
      });
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /http-equiv/);
      assert.equal((await out('GET', { cookie })).status, 200);
      assertEnvelope(await who(null, { cookie }), 'PermissionError');
    });
  });

  describe('generate_keys', () => {
    const generate = (as?: string | null) =>
      site.request('POST', '/api/method/frappe.core.doctype.user.user.generate_keys', {
        as,
        body: { user: 'agent@example.com' },
      });

    test('gives a key that works, to System Managers only', async () => {
      const { status, body, text } = await generate();
      assert.equal(status, 200, text);
      const header = `token ${body.message.api_key}:${body.message.api_secret}`;
      assert.deepEqual((await who(header)).body, { message: 'agent@example.com' });
      assert.equal((await who(agent)).status, 200);
      assertEnvelope(await generate(agent), 'PermissionError');
      assertEnvelope(await generate(null), 'PermissionError');
    });

    test('an unknown user is 404', async () => {
      const reply = await site.request('POST', '/api/method/frappe.core.doctype.user.user.generate_keys', {
        body: { user: 'nobody@example.com' },
      });
      assertEnvelope(reply, 'DoesNotExistError');
    });
  });
});
