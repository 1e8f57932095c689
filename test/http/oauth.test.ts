/** The OAuth 2 authorization server: what a client does that plays by the rules. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { generate } from 'otplib';
import { describeEither } from '../support/describe-site.ts';
import { CALLBACK, OAuthParty } from '../support/oauth.ts';
import { assertEnvelope } from '../support/wire.ts';

const OAUTH = '/api/method/frappe.integrations.oauth2.';

describeEither('OAuth', {}, (site) => {
  let party: OAuthParty;
  let ann: string;
  before(async () => {
    party = new OAuthParty(site);
    ann = await party.signedIn('ann@example.com');
  });

  test('a program on a device signs a user in with PKCE and no secret', async () => {
    const client = await party.client({ token_endpoint_auth_method: 'None' });
    assert.equal(client.client_secret, undefined);
    const back = await party.allowed(ann, party.ask(client.name));
    assert.equal(back.origin + back.pathname, CALLBACK);
    assert.equal(back.searchParams.get('state'), 'xyz &=');
    assert.equal(back.searchParams.get('iss'), site.url);
    const reply = await party.redeem(client.name, back.searchParams.get('code') ?? '');
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    const { access_token: token, refresh_token: refresh, ...rest } = reply.body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'all openid' });
    assert.match(token, /^[\w-]{43}$/);
    assert.deepEqual((await party.who(token)).body, { message: 'ann@example.com' });

    const next = await party.refresh(client.name, refresh);
    assert.equal(next.status, 200, next.text);
    assert.notEqual(next.body.access_token, token);
    assert.equal((await party.who(next.body.access_token)).status, 200);
    assertEnvelope(await party.who(token), 'AuthenticationError');
  });

  test('a program with a secret sends it in the form or as Basic, and needs no PKCE', async () => {
    const client = await party.client();
    assert.match(client.client_secret, /^[\w-]{43}$/);
    const plain = { code_challenge: undefined, code_challenge_method: undefined };
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: CALLBACK,
      client_id: client.name,
      client_secret: client.client_secret,
    };
    const first = await party.form('get_token', { ...form, code: await party.code(ann, client.name, plain) });
    assert.equal(first.status, 200, first.text);
    const { client_id: id, client_secret: secret, ...without } = form;
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const code = await party.code(ann, client.name, plain);
    const second = await party.form('get_token', { ...without, code }, { authorization });
    assert.equal(second.status, 200, second.text);
    assert.equal((await party.who(second.body.access_token)).status, 200);
    assert.equal(
      (await party.who(first.body.access_token)).status,
      200,
      'each authorization has tokens of its own',
    );
  });

  test('the page asks in words, without scripts, and only to be answered here and at the client', async () => {
    const client = await party.client({ app_name: '<b>Plan & do</b>' });
    const page = await party.authorize(ann, party.ask(client.name));
    assert.equal(page.status, 200);
    assert.ok(
      page.text.includes('&#60;b&#62;Plan &#38; do&#60;/b&#62;') && !page.text.includes('<b>'),
      page.text,
    );
    assert.match(page.text, /ann@example\.com.*Read and change/s);
    assert.doesNotMatch(page.text, /<script|\son\w+=/i);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/client\.example;/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    const refused = await party.answer(ann, page, 'deny');
    const back = new URL(refused.headers.get('location') ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('code'), null);
  });

  test('who is not signed in comes to a page that needs no script, and back', async () => {
    const client = await party.client();
    const asked = party.ask(client.name);
    const away = await party.authorize(null, asked);
    assert.equal(away.status, 303);
    const login = away.headers.get('location') ?? '';
    assert.match(login, /^\/login\?redirect-to=/);
    const page = await site.request('GET', login, { as: null });
    assert.equal(page.status, 200);
    const hidden = /name="redirect-to" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const target = hidden.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
    assert.equal(target, `${OAUTH}authorize?${new URLSearchParams(asked)}`);
    const send = (pwd: string, headers: Record<string, string> = {}) =>
      site.request('POST', '/login', {
        as: null,
        body: new URLSearchParams({ usr: 'ann@example.com', pwd, 'redirect-to': target }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const wrong = await send('wrong');
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /role="alert">Invalid login credentials/);
    assertEnvelope(await send('correct horse battery', { origin: 'https://evil.example' }), 'CSRFTokenError');
    const signedIn = await send('correct horse battery', { origin: site.url });
    assert.equal(signedIn.status, 200, signedIn.text);
    const cookie = (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    assert.match(signedIn.text, /http-equiv="refresh" content="0; url=\/api\/method\/frappe\.integrations/);
    assert.equal((await party.authorize(cookie, asked)).status, 200);
  });

  test('a client whose users are not asked gets its code at once', async () => {
    const client = await party.client({ skip_authorization: 1 });
    const reply = await party.authorize(ann, party.ask(client.name));
    assert.equal(reply.status, 303);
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
    assert.equal(
      (await party.redeem(client.name, code, { client_secret: client.client_secret })).status,
      200,
    );
  });

  test('scopes: all, read, and who it is', async () => {
    const rita = await party.signedIn('rita@example.com', ['System Manager']);
    const client = await party.client({ token_endpoint_auth_method: 'None', scopes: 'all read openid' });
    const token = async (scope: string) =>
      (await party.redeem(client.name, await party.code(rita, client.name, { scope }))).body.access_token;
    const call = async (scope: string, method: string, path: string, body?: object) =>
      (await site.request(method, path, { as: `Bearer ${await token(scope)}`, ...(body && { body }) }))
        .status;
    const role = () => ({ role_name: `Role ${Math.random()}` });
    assert.equal(await call('all', 'POST', '/api/resource/Role', role()), 200);
    assert.equal(await call('read', 'GET', '/api/resource/Role'), 200);
    assert.equal(await call('read', 'POST', '/api/resource/Role', role()), 403);
    assert.equal(await call('openid', 'GET', '/api/resource/Role'), 403);
    assert.equal(await call('openid', 'GET', '/api/method/frappe.client.get_list?doctype=Role'), 403);
    for (const scope of ['openid', 'read openid', 'all']) {
      const profile = await site.request('GET', `${OAUTH}openid_profile`, {
        as: `Bearer ${await token(scope)}`,
      });
      assert.equal(profile.status, 200, profile.text);
      const { sub, email, iss, roles } = profile.body;
      assert.deepEqual([sub, email, iss], ['rita@example.com', 'rita@example.com', site.url]);
      assert.ok(roles.includes('System Manager'));
    }
  });

  test('a refresh may narrow what was granted, and not widen it', async () => {
    const client = await party.client({ token_endpoint_auth_method: 'None', scopes: 'all read openid' });
    const code = await party.code(ann, client.name, { scope: 'read openid' });
    const { body } = await party.redeem(client.name, code);
    assert.equal(
      (await party.refresh(client.name, body.refresh_token, { scope: 'all' })).body.error,
      'invalid_grant',
    );
    const narrow = await party.refresh(client.name, body.refresh_token, { scope: 'openid' });
    assert.equal(narrow.body.scope, 'openid', narrow.text);
  });

  test('a client revokes its tokens, and asks what they stand for', async () => {
    const client = await party.client();
    const secret = { client_id: client.name, client_secret: client.client_secret };
    const { body } = await party.redeem(client.name, await party.code(ann, client.name), secret);
    const ask = async (token: string) => (await party.form('introspect_token', { ...secret, token })).body;
    const { exp, iat, ...known } = await ask(body.access_token);
    assert.ok(exp > iat);
    const meaning = { active: true, client_id: client.name, scope: 'all openid', token_type: 'Bearer' };
    assert.deepEqual(known, { ...meaning, username: 'ann@example.com', sub: 'ann@example.com' });
    assert.equal((await ask(body.refresh_token)).active, true);
    assert.deepEqual(await ask('nothing'), { active: false });
    const other = await party.client();
    const theirs = { client_id: other.name, client_secret: other.client_secret };
    const seen = await party.form('introspect_token', { ...theirs, token: body.access_token });
    assert.deepEqual(seen.body, { active: false }, 'a token is the business of its client');
    await party.form('revoke_token', { ...theirs, token: body.access_token });
    assert.equal((await party.who(body.access_token)).status, 200);
    const revoked = await party.form('revoke_token', { ...secret, token: body.refresh_token });
    assert.deepEqual([revoked.status, revoked.body], [200, {}]);
    assertEnvelope(await party.who(body.access_token), 'AuthenticationError');
    assert.deepEqual(await ask(body.refresh_token), { active: false });
  });

  test('users see what they allowed, and take it back', async () => {
    const cleo = await party.signedIn('cleo@example.com');
    const client = await party.client({ app_name: 'Calendar', token_endpoint_auth_method: 'None' });
    const { body } = await party.redeem(client.name, await party.code(cleo, client.name));
    const call = (method: string, args: object, as: { as: string | null; cookie?: string }) =>
      site.request('POST', `/api/method/chancery.auth.${method}`, {
        as: as.as,
        body: args,
        headers: as.cookie ? { cookie: as.cookie } : {},
      });
    const own = { as: null, cookie: cleo };
    const [grant, ...more] = (await call('grants', {}, own)).body.message;
    assert.equal(more.length, 0);
    const { id, created, ends_unused, ...rest } = grant;
    assert.deepEqual(rest, { client: client.name, app_name: 'Calendar', scope: 'all openid' });
    assert.ok(created < ends_unused && id.length === 22);
    assertEnvelope(await call('end_grant', { id }, { as: null, cookie: ann }), 'DoesNotExistError');
    assertEnvelope(
      await call('grants', { user: 'cleo@example.com' }, { as: null, cookie: ann }),
      'PermissionError',
    );
    assert.equal((await party.who(body.access_token)).status, 200);
    assert.equal((await call('end_grant', { id }, own)).status, 200);
    assertEnvelope(await party.who(body.access_token), 'AuthenticationError');
    assert.deepEqual((await call('grants', {}, own)).body.message, []);
    const log = await site.request(
      'GET',
      '/api/resource/Audit Log?fields=["event","user"]&limit_page_length=500',
    );
    const told = log.body.data.filter(({ user }: { user: string }) => user === 'cleo@example.com');
    const events = told.map(({ event }: { event: string }) => event);
    for (const event of ['oauth_authorized', 'oauth_revoked']) assert.ok(events.includes(event), `${events}`);
  });

  test('the page asks for the second factor', async () => {
    const role = { role_name: 'Careful', two_factor_auth: 1 };
    await site.make('Role', role);
    await site.ok('PUT', '/api/resource/System%20Settings/System%20Settings', {
      body: { enable_two_factor_auth: 1 },
    });
    await site.createUser('dora@example.com', ['Careful']);
    await site.request('PUT', '/api/resource/User/dora@example.com', {
      body: { new_password: 'correct horse battery' },
    });
    const send = (fields: Record<string, string>) =>
      site.request('POST', '/login', {
        as: null,
        body: new URLSearchParams({ ...fields, 'redirect-to': '/docs' }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const asked = await send({ usr: 'dora@example.com', pwd: 'correct horse battery' });
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(asked.headers.getSetCookie(), []);
    const tmpId = /name="tmp_id" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const secret = /<code>([A-Z2-7]+)<\/code>/.exec(asked.text)?.[1] ?? '';
    const wrong = await send({ tmp_id: tmpId, otp: '000000' });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /role="alert">.*name="otp"/s);
    const done = await send({ tmp_id: tmpId, otp: await generate({ secret }) });
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /Recovery codes, shown this once/);
    assert.doesNotMatch(done.text, /http-equiv/);
    assert.match(done.headers.getSetCookie()[0] ?? '', /^sid=[0-9a-f]{64};/);
  });

  test('the server describes itself', async () => {
    const { status, body } = await site.request('GET', '/.well-known/oauth-authorization-server', {
      as: null,
    });
    assert.equal(status, 200);
    assert.equal(body.issuer, site.url);
    assert.equal(body.token_endpoint, `${site.url}${OAUTH}get_token`);
    assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
  });

  test('a secret is shown once, replaced on demand, and only its digest is kept', async () => {
    const client = await party.client();
    const path = `/api/resource/OAuth%20Client/${client.name}`;
    assert.equal((await site.ok('GET', path)).client_secret, '**********');
    await site.request('PUT', path, { body: { client_secret: 'chosen by somebody', app_name: 'Renamed' } });
    const tokenOf = async (secret: string) =>
      (await party.redeem(client.name, await party.code(ann, client.name), { client_secret: secret })).status;
    assert.equal(await tokenOf(client.client_secret), 200);
    assert.equal(await tokenOf('chosen by somebody'), 401);
    const method = '/api/method/chancery.oauth.regenerate_secret';
    const renewed = await site.ok('POST', method, { body: { client: client.name } });
    assert.equal(await tokenOf(client.client_secret), 401);
    assert.equal(await tokenOf(renewed.client_secret), 200);
    const nobody = await site.createUser('nobody@example.com', []);
    assertEnvelope(
      await site.request('POST', method, { as: nobody, body: { client: client.name } }),
      'PermissionError',
    );
  });
});
