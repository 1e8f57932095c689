/** Signing in at providers of OpenID Connect: a real one, and one that lies. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import { Browser, CLIENT, FalseProvider, IdentityProvider } from '../support/identity-provider.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const KEYS = '/api/resource/Social%20Login%20Key';

describeEither('OpenID Connect', { config: { signIn: { allow: ['127.0.0.0/8'] } } }, (site) => {
  let real: IdentityProvider;
  let userinfo: IdentityProvider;
  let liar: FalseProvider;
  before(async () => {
    const callbacks = ['real', 'other', 'userinfo', 'open'].map(
      (name) => `${site.url}/api/auth/${name}/callback`,
    );
    real = await IdentityProvider.start(callbacks);
    userinfo = await IdentityProvider.start(callbacks, false);
    liar = await FalseProvider.start();
    for (const [name, issuer, more] of [
      ['Real', real.issuer, {}],
      ['Other', real.issuer, {}],
      ['Open', real.issuer, { sign_ups: 'Allow' }],
      ['Userinfo', userinfo.issuer, {}],
      ['Liar', liar.issuer, { sign_ups: 'Allow' }],
    ] as const) {
      const body = {
        provider_name: name,
        base_url: issuer,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        enable_social_login: 1,
        ...more,
      };
      const reply = await site.ok('POST', KEYS, { body });
      assert.equal(reply.name, name.toLowerCase());
    }
    await site.createUser('ann@example.com', []);
  });
  after(async () => {
    await real?.stop();
    await userinfo?.stop();
    await liar?.stop();
  });

  const start = (name: string, target = '/') =>
    `${site.url}/api/auth/${name}/start?redirect-to=${encodeURIComponent(target)}`;
  const callback = (name: string) => `${site.url}/api/auth/${name}/callback`;
  const who = (browser: Browser): Promise<TestReply> =>
    site.request('GET', '/api/method/frappe.auth.get_logged_user', {
      as: null,
      headers: { cookie: browser.cookies(site.url) },
    });
  /** The whole way; the last reply is the one to the provider's answer. */
  async function signIn(
    name: string,
    subject: string,
    browser = new Browser(),
    target = '/',
  ): Promise<Response> {
    const provider = name === 'userinfo' ? userinfo : real;
    provider.subject = subject;
    return browser.get(await browser.follow(start(name, target), callback(name)));
  }
  async function refused(response: Response, status: number, browser?: Browser): Promise<void> {
    const text = await response.text();
    const type =
      status === 403 ? 'PermissionError' : status === 401 ? 'AuthenticationError' : 'ServiceUnavailableError';
    assertEnvelope({ status: response.status, text }, type, status);
    if (browser) assert.equal((await who(browser)).status, 403);
  }

  test('a verified address signs in, is linked, and may change afterwards', async () => {
    real.people.set('sub-ann', { email: 'Ann@Example.com', email_verified: true });
    const browser = new Browser();
    const back = await signIn('real', 'sub-ann', browser, '/docs?x=1');
    assert.equal(back.status, 303, await back.clone().text());
    assert.equal(back.headers.get('location'), '/docs?x=1');
    assert.deepEqual((await who(browser)).body, { message: 'ann@example.com' });
    real.people.set('sub-ann', { email: 'new@elsewhere.example', email_verified: false });
    const later = new Browser();
    assert.equal((await signIn('real', 'sub-ann', later)).status, 303);
    assert.deepEqual((await who(later)).body, { message: 'ann@example.com' });
  });

  test('what only the userinfo endpoint says counts as well', async () => {
    userinfo.people.set('sub-u', { email: 'ann@example.com', email_verified: true });
    const browser = new Browser();
    assert.equal((await signIn('userinfo', 'sub-u', browser)).status, 303);
    assert.deepEqual((await who(browser)).body, { message: 'ann@example.com' });
  });

  test('an address that the provider did not verify opens nothing', async () => {
    for (const [subject, claims] of [
      ['sub-x1', { email: 'ann@example.com', email_verified: false }],
      ['sub-x2', { email: 'ann@example.com' }],
      ['sub-x3', { email: 'ann@example.com', email_verified: 'true' }],
      ['sub-x4', { email: 'Administrator', email_verified: true }],
      ['sub-x5', { email: 'administrator', email_verified: true }],
      ['sub-x6', {}],
      // A Kelvin sign is `k` in lower case.
      ['sub-x7', { email: '\u212Aate@example.com', email_verified: true }],
    ] as const) {
      if (subject === 'sub-x7') await site.createUser('kate@example.com', []);
      real.people.set(subject, claims);
      const browser = new Browser();
      await refused(await signIn('real', subject, browser), 403, browser);
    }
    assert.equal(await countOf('sub-x1'), 0);
  });

  test('strangers get an account only where that is allowed, and no roles', async () => {
    real.people.set('sub-new', {
      email: 'newcomer@example.com',
      email_verified: true,
      given_name: 'New',
      family_name: 'Comer',
      roles: ['System Manager'],
    });
    await refused(await signIn('real', 'sub-new'), 403);
    assert.equal((await site.request('GET', '/api/resource/User/newcomer@example.com')).status, 404);
    const browser = new Browser();
    assert.equal((await signIn('open', 'sub-new', browser)).status, 303);
    assert.deepEqual((await who(browser)).body, { message: 'newcomer@example.com' });
    const made = await site.ok('GET', '/api/resource/User/newcomer@example.com');
    assert.partialDeepStrictEqual(made, { full_name: 'New Comer', user_type: 'Website User', roles: [] });
  });

  test('a disabled user is refused, and a deleted one forgotten', async () => {
    await site.createUser('leaver@example.com', []);
    real.people.set('sub-leaver', { email: 'leaver@example.com', email_verified: true });
    assert.equal((await signIn('real', 'sub-leaver')).status, 303);
    const path = '/api/resource/User/leaver@example.com';
    await site.request('PUT', path, { body: { enabled: 0 } });
    const browser = new Browser();
    await refused(await signIn('real', 'sub-leaver', browser), 401, browser);
    real.people.set('sub-leaver-2', { email: 'leaver@example.com', email_verified: true });
    await refused(await signIn('open', 'sub-leaver-2'), 403);
    await site.ok('DELETE', path);
    assert.equal(await countOf('sub-leaver'), 0);
    await refused(await signIn('real', 'sub-leaver', browser), 403, browser);
  });

  test('a renamed user stays who they are at the provider', async () => {
    await site.createUser('maiden@example.com', []);
    real.people.set('sub-maiden', { email: 'maiden@example.com', email_verified: true });
    assert.equal((await signIn('real', 'sub-maiden')).status, 303);
    const renamed = { doctype: 'User', old_name: 'maiden@example.com', new_name: 'married@example.com' };
    await site.call('frappe.client.rename_doc', renamed);
    const browser = new Browser();
    assert.equal((await signIn('real', 'sub-maiden', browser)).status, 303);
    assert.deepEqual((await who(browser)).body, { message: 'married@example.com' });
  });

  test('an answer belongs to the browser that asked, to its provider, and to one time', async () => {
    real.subject = 'sub-ann';
    const answerOf = async (browser: Browser, name = 'real') => browser.follow(start(name), callback(name));
    const browser = new Browser();
    const answer = await answerOf(browser);
    await refused(await new Browser().get(answer), 401);
    const other = new Browser();
    await answerOf(other);
    await refused(await other.get(answer), 401, other);

    for (const [name, value] of [
      ['state', 'wrong'],
      ['state', null],
      ['code', 'wrong'],
      ['iss', 'https://evil.example'],
      ['iss', null],
    ] as const) {
      const mine = new Browser();
      const changed = new URL(await answerOf(mine));
      if (value === null) changed.searchParams.delete(name);
      else changed.searchParams.set(name, value);
      await refused(await mine.get(changed.href), 401, mine);
    }

    // Of one provider for another: the same server even, under another name.
    const mixed = new Browser();
    const forReal = await answerOf(mixed);
    await refused(await mixed.get(forReal.replace('/api/auth/real/', '/api/auth/other/')), 401, mixed);

    const cookie = browser.cookies(site.url);
    assert.equal((await browser.get(answer)).status, 303);
    assert.doesNotMatch(browser.cookies(site.url), /sign_in/);
    const again = await fetch(answer, { redirect: 'manual', headers: { cookie } });
    await refused(again, 401);
  });

  test('what the user or the provider refuses is refused', async () => {
    const browser = new Browser();
    const away = await browser.get(start('real'));
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const denied = new URLSearchParams({ error: 'access_denied', state, iss: real.issuer });
    await refused(await browser.get(`${callback('real')}?${denied}`), 401, browser);
  });

  test('the request carries PKCE, nonce and state, and the cookie no script can read', async () => {
    const away = await fetch(start('real'), { redirect: 'manual' });
    assert.equal(away.status, 303);
    const asked = new URL(away.headers.get('location') ?? '').searchParams;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    for (const name of ['code_challenge', 'nonce', 'state'])
      assert.match(asked.get(name) ?? '', /^[\w-]{43}$/);
    const [cookie = ''] = away.headers.getSetCookie();
    assert.match(cookie, /^sign_in=[\w-]{43}\.[\w-]+; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly$/);
    assert.ok(!away.headers.get('location')?.includes(cookie.slice(8, 51)));
  });

  test('tokens of a provider that lies are not believed', async () => {
    const person = { sub: 'sub-liar', email: 'ann@example.com', email_verified: true };
    async function come(
      claims: object,
      alg: FalseProvider['alg'] = 'RS256',
      nonce: string | null = '',
    ): Promise<Response> {
      const browser = new Browser();
      const asked = new URL((await browser.get(start('liar'))).headers.get('location') ?? '').searchParams;
      const own = nonce === '' ? asked.get('nonce') : nonce;
      liar.claims = { ...person, ...(own === null ? {} : { nonce: own }), ...claims };
      liar.alg = alg;
      const answer = new URLSearchParams({ code: 'x', state: asked.get('state') ?? '' });
      return browser.get(`${callback('liar')}?${answer}`);
    }
    assert.equal((await come({})).status, 303, 'told the truth');
    const now = Math.floor(Date.now() / 1000);
    await refused(await come({}, 'none'), 401);
    await refused(await come({}, 'HS256'), 401);
    await refused(await come({}, 'RS256', 'another'), 401);
    await refused(await come({}, 'RS256', null), 401);
    await refused(await come({ iss: real.issuer }), 401);
    await refused(await come({ aud: 'another client' }), 401);
    await refused(await come({ exp: now - 600, iat: now - 700 }), 401);
    await refused(await come({ sub: undefined }), 401);
    const before = liar.tokenRequests;
    const browser = new Browser();
    await browser.get(start('liar'));
    await refused(await browser.get(`${callback('liar')}?code=x&state=wrong`), 401);
    assert.equal(liar.tokenRequests, before, 'a code with a wrong state is not even redeemed');
  });

  test('a provider that is not there, says too much, or lies about its name is 503', async () => {
    const change = (fields: object) => site.request('PUT', `${KEYS}/liar`, { body: fields });
    liar.padding = 300_000;
    await change({ scopes: 'openid email' });
    await refused(await fetch(start('liar'), { redirect: 'manual' }), 503);
    liar.padding = 0;
    liar.metadata = { issuer: real.issuer };
    await refused(await fetch(start('liar'), { redirect: 'manual' }), 503);
    liar.metadata = {};
    assert.equal(
      (await fetch(start('liar'), { redirect: 'manual' })).status,
      303,
      'a failure is not remembered',
    );
    await change({ base_url: 'http://127.0.0.1:9' });
    await refused(await fetch(start('liar'), { redirect: 'manual' }), 503);
    await change({ base_url: 'https://169.254.169.254' });
    await refused(await fetch(start('liar'), { redirect: 'manual' }), 503);
    await change({ enable_social_login: 0 });
    assert.equal((await fetch(start('liar'), { redirect: 'manual' })).status, 404);
    assert.equal((await fetch(start('nobody'), { redirect: 'manual' })).status, 404);
  });

  test('issuers are https, or on this machine, and nothing else', async () => {
    for (const base_url of [
      'http://id.example',
      'ftp://id.example',
      'id.example',
      'https://user:pass@id.example',
      'https://id.example?x=1',
      'https://id.example#x',
      'javascript:alert(1)',
    ]) {
      const body = { provider_name: 'Bad', base_url, client_id: 'x' };
      assertEnvelope(await site.request('POST', KEYS, { body }), 'ValidationError');
    }
  });

  test('the way back stays on this server', async () => {
    real.subject = 'sub-ann';
    for (const target of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%09/../..//evil.example',
    ]) {
      const back = await signIn('real', 'sub-ann', new Browser(), target);
      const location = back.headers.get('location') ?? '';
      assert.equal(new URL(location, site.url).origin, site.url, target);
      assert.doesNotMatch(location, /^\/[/\\]/, target);
    }
  });

  test('the page to sign in on offers the providers, and no secret is stored as it is', async () => {
    const page = await site.request('GET', '/login?redirect-to=%2Fdocs', { as: null });
    assert.match(
      page.text,
      /<a class="button" href="\/api\/auth\/real\/start\?redirect-to=%2Fdocs">Real<\/a>/,
    );
    const key = await site.request('GET', `${KEYS}/real`);
    assert.equal(key.body.data.client_secret, '**********');
    const rows = await site.site.database.reader.all(sql`select * from "_secret"`);
    assert.ok(!JSON.stringify(rows).includes(CLIENT.secret));
    assert.ok(!JSON.stringify(site.observed).includes(CLIENT.secret));
  });

  async function countOf(subject: string): Promise<number> {
    const row = await site.site.database.reader.get(
      sql`select count(*) as "n" from "_identity" where "subject" = ${subject}`,
    );
    return Number(row?.['n']);
  }
});
