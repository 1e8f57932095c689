/** The OAuth 2 authorization server against those who do not play by the rules. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { issueCode, redeemCode, refreshTokens } from '../../src/access/oauth-grant.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { CALLBACK, OAuthParty } from '../support/oauth.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const OAUTH = '/api/method/frappe.integrations.oauth2.';
const KEYS = '/api/method/frappe.core.doctype.user.user.generate_keys';

describeEither('attacks on OAuth', {}, (site) => {
  let party: OAuthParty;
  let ann: string;
  let client: string;
  before(async () => {
    party = new OAuthParty(site);
    ann = await party.signedIn('ann@example.com');
    client = (await party.client({ token_endpoint_auth_method: 'None' })).name;
  });

  const tokens = async (cookie = ann) => (await party.redeem(client, await party.code(cookie, client))).body;
  const refused = (reply: TestReply, error: string, status = 400) => {
    assertEnvelope(reply, status === 401 ? 'AuthenticationError' : 'BadRequestError', status);
    assert.equal(reply.body.error, error, reply.text);
    assert.equal(reply.body.access_token, undefined);
  };
  const gone = async (token: string) => assertEnvelope(await party.who(token), 'AuthenticationError');

  test('a code that is used twice gives nothing, and takes back what it gave', async () => {
    const code = await party.code(ann, client);
    const first = await party.redeem(client, code);
    assert.equal((await party.who(first.body.access_token)).status, 200);
    refused(await party.redeem(client, code), 'invalid_grant');
    await gone(first.body.access_token);
    refused(await party.refresh(client, first.body.refresh_token), 'invalid_grant');
  });

  test('of two that redeem a code at once, at most one gets tokens', async () => {
    const code = await party.code(ann, client);
    const replies = await Promise.all([1, 2, 3].map(() => party.redeem(client, code)));
    assert.ok(replies.filter(({ status }) => status === 200).length <= 1);
    for (const { body } of replies) if (body.access_token) await gone(body.access_token);
  });

  test('a code of another client, of another address, or without the verifier gives nothing', async () => {
    const other = await party.client();
    const secret = { client_secret: other.client_secret };
    refused(await party.redeem(other.name, await party.code(ann, client), secret), 'invalid_grant');
    for (const changes of [
      { redirect_uri: `${CALLBACK}/` },
      { code_verifier: '' },
      { code_verifier: randomBytes(32).toString('base64url') },
      { code_verifier: party.challenge },
      { code_verifier: `${party.verifier}\n` },
    ] as Record<string, string>[]) {
      const code = await party.code(ann, client);
      refused(await party.redeem(client, code, changes), 'invalid_grant');
      refused(await party.redeem(client, code), 'invalid_grant');
    }
    // A verifier where no challenge was: somebody took it out on the way.
    const plain = { code_challenge: undefined, code_challenge_method: undefined };
    refused(
      await party.redeem(other.name, await party.code(ann, other.name, plain), secret),
      'invalid_grant',
    );
  });

  test('addresses are compared exactly, and a wrong one is told to nobody', async () => {
    for (const uri of [
      undefined,
      `${CALLBACK}/`,
      `${CALLBACK}?x=1`,
      `${CALLBACK}#x`,
      'https://client.example/CALLBACK',
      'https://client.example.evil.example/callback',
      'https://client.example@evil.example/callback',
      'https://evil.example/callback',
      'http://client.example/callback',
      'https://client.example/callback/../evil',
      'https://client.example:443/callback',
      'https://client.example/callback%00',
      '//client.example/callback',
      'javascript:alert(1)',
    ]) {
      const reply = await party.authorize(ann, party.ask(client, { redirect_uri: uri }));
      assertEnvelope(reply, 'BadRequestError');
      assert.equal(reply.headers.get('location'), null, String(uri));
    }
    for (const id of ['', 'nobody', "' or 1=1--", `${client}\u0000`]) {
      const reply = await party.authorize(ann, party.ask(id));
      assertEnvelope(reply, 'BadRequestError');
    }
  });

  test('clients cannot be given addresses through which a code would leak', async () => {
    for (const uri of [
      'http://client.example/cb',
      'https://user:pass@client.example/cb',
      'https://client.example/cb#x',
      'https://*.example/cb',
      'https:\\\\client.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'myapp:/cb',
      '/cb',
      `https://client.example/${'x'.repeat(3000)}`,
    ]) {
      const body = { app_name: 'X', default_redirect_uri: uri };
      const reply = await site.request('POST', '/api/resource/OAuth%20Client', { body });
      assert.equal(reply.status, 417, `${uri}: ${reply.text}`);
    }
    for (const uri of ['http://127.0.0.1:8912/cb', 'http://localhost/cb', 'com.example.app:/cb']) {
      await party.client({ default_redirect_uri: uri });
    }
    for (const fields of [
      { token_endpoint_auth_method: 'None', skip_authorization: 1 },
      { scopes: 'all everything' },
      { redirect_uris: Array.from({ length: 30 }, (_, n) => `https://a.example/${n}`).join('\n') },
    ]) {
      const body = { app_name: 'X', default_redirect_uri: CALLBACK, ...fields };
      const reply = await site.request('POST', '/api/resource/OAuth%20Client', { body });
      assertEnvelope(reply, 'ValidationError');
    }
  });

  test('what a client may not ask is told to it, without a code', async () => {
    const secret = await party.client();
    for (const [id, changes, error] of [
      [client, { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [client, { code_challenge_method: 'plain' }, 'invalid_request'],
      [client, { code_challenge_method: undefined }, 'invalid_request'],
      [secret.name, { code_challenge_method: 'plain' }, 'invalid_request'],
      [secret.name, { code_challenge: undefined }, 'invalid_request'],
      [client, { code_challenge: 'short' }, 'invalid_request'],
      [client, { response_type: 'token' }, 'unsupported_response_type'],
      [client, { response_type: undefined }, 'unsupported_response_type'],
      [client, { scope: 'all admin' }, 'invalid_scope'],
      [client, { scope: 'all read' }, 'invalid_scope'],
      [client, { state: 'x'.repeat(3000) }, 'invalid_request'],
    ] as const) {
      const reply = await party.authorize(ann, party.ask(id, changes));
      assert.equal(reply.status, 303, reply.text);
      const back = new URL(reply.headers.get('location') ?? '');
      assert.equal(back.origin + back.pathname, CALLBACK);
      assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], [error, null]);
    }
  });

  test('nobody but the user in front of the page can allow', async () => {
    const asked = { ...party.ask(client), decision: 'allow' };
    const bob = await party.signedIn('bob@example.com');
    const page = await party.authorize(bob, party.ask(client));
    const bobsToken = /name="csrf_token" value="(\w+)"/.exec(page.text)?.[1] ?? '';
    assert.equal(bobsToken.length, 64);
    for (const token of ['', 'wrong', bobsToken]) {
      const reply = await party.form('approve', { ...asked, csrf_token: token }, { cookie: ann });
      assertEnvelope(reply, 'CSRFTokenError');
    }
    assertEnvelope(await party.form('approve', { ...asked, csrf_token: bobsToken }), 'PermissionError');
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const fields = { ...asked, csrf_token: bobsToken };
      const reply = await party.form('approve', fields, {
        cookie: bob,
        ...(headers as Record<string, string>),
      });
      assertEnvelope(reply, 'CSRFTokenError');
    }
    assert.equal(
      (await site.request('GET', `${OAUTH}approve`, { as: null, headers: { cookie: ann } })).status,
      405,
    );
    // A key or a token must not become more than it is.
    const { access_token: token } = await tokens();
    for (const as of [`token ${site.adminKey}`, `Bearer ${token}`]) {
      const reply = await site.request('GET', `${OAUTH}authorize?${new URLSearchParams(asked)}`, { as });
      assert.match(reply.headers.get('location') ?? '', /^\/login\?/);
    }
    assertEnvelope(
      await site.request('POST', `${OAUTH}approve`, { body: { ...asked, csrf_token: bobsToken } }),
      'CSRFTokenError',
    );
  });

  test('a refresh token that is used twice ends everything it stands for', async () => {
    const first = await tokens();
    const second = (await party.refresh(client, first.refresh_token)).body;
    assert.equal((await party.who(second.access_token)).status, 200);
    refused(await party.refresh(client, first.refresh_token), 'invalid_grant');
    await gone(second.access_token);
    refused(await party.refresh(client, second.refresh_token), 'invalid_grant');
  });

  test('a refresh token of another client, and junk, give nothing and end nothing', async () => {
    const { refresh_token: token, access_token: access } = await tokens();
    const other = await party.client({ token_endpoint_auth_method: 'None' });
    refused(await party.refresh(other.name, token), 'invalid_grant');
    for (const junk of ['x', '.', `${token}.x`, 'a'.repeat(5000), `${access}`]) {
      refused(await party.refresh(client, junk), 'invalid_grant');
    }
    assert.equal((await party.who(access)).status, 200);
    assert.equal((await party.refresh(client, token)).status, 200);
  });

  test('a client that does not prove itself is 401, in one voice', async () => {
    const { name: id, client_secret: secret } = await party.client();
    const code = await party.code(ann, id);
    const texts = new Set<string>();
    for (const [fields, headers] of [
      [{ client_id: id }, {}],
      [{ client_id: id, client_secret: 'wrong' }, {}],
      [{ client_id: id, client_secret: '' }, {}],
      [{ client_id: 'nobody', client_secret: secret }, {}],
      [{ client_id: client, client_secret: secret }, {}],
      [{}, { authorization: `Basic ${Buffer.from(`${id}:wrong`).toString('base64')}` }],
      [{}, { authorization: `Basic ${Buffer.from(`:${secret}`).toString('base64')}` }],
      [{ client_id: id, client_secret: secret }, { authorization: `token ${site.adminKey}` }],
      [{}, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: party.verifier,
      };
      for (const method of ['get_token', 'revoke_token', 'introspect_token']) {
        const reply = await party.form(method, { ...form, token: 'x', ...fields }, headers);
        refused(reply, 'invalid_client', 401);
        texts.add(reply.text);
      }
    }
    assert.equal(texts.size, 1);
    const inQuery = `${OAUTH}get_token?${new URLSearchParams({ client_id: id, client_secret: secret })}`;
    refused(await site.request('POST', inQuery, { as: null }), 'invalid_client', 401);
    refused(await party.form('introspect_token', { client_id: client, token: 'x' }), 'invalid_client', 401);
  });

  test('other grants are refused, and requests without their parts', async () => {
    for (const [fields, error] of [
      [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
      [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
      [{}, 'unsupported_grant_type'],
      [{ grant_type: 'authorization_code' }, 'invalid_request'],
      [{ grant_type: 'refresh_token' }, 'invalid_request'],
    ] as [Record<string, string>, string][]) {
      refused(await party.form('get_token', { client_id: client, ...fields }), error);
    }
  });

  test('a token ends at once when its user is disabled, or its client', async () => {
    const leaver = await party.signedIn('leaver@example.com');
    const code = await party.code(leaver, client);
    const { access_token: token, refresh_token: refresh } = await tokens(leaver);
    assert.equal((await party.who(token)).status, 200);
    const set = (enabled: number) =>
      site.request('PUT', '/api/resource/User/leaver@example.com', { body: { enabled } });
    assert.equal((await set(0)).status, 200);
    await gone(token);
    refused(await party.refresh(client, refresh), 'invalid_grant');
    refused(await party.redeem(client, code), 'invalid_grant');

    const brief = await party.client({ token_endpoint_auth_method: 'None' });
    const given = (await party.redeem(brief.name, await party.code(ann, brief.name))).body;
    assert.equal((await party.who(given.access_token)).status, 200);
    const path = `/api/resource/OAuth%20Client/${brief.name}`;
    await site.ok('PUT', path, { body: { enabled: 0 } });
    await gone(given.access_token);
    refused(await party.refresh(brief.name, given.refresh_token), 'invalid_client', 401);
    await site.ok('PUT', path, { body: { enabled: 1 } });
    await gone(given.access_token);
  });

  test('a new password ends what the old one gave away', async () => {
    const user = await party.signedIn('changer@example.com');
    const { access_token: token } = await tokens(user);
    const body = { new_password: 'another long password' };
    await site.ok('PUT', '/api/resource/User/changer@example.com', { body });
    await gone(token);
  });

  test('with a token nobody makes keys', async () => {
    const boss = await party.signedIn('boss@example.com', ['System Manager']);
    const { access_token: token } = await tokens(boss);
    const as = `Bearer ${token}`;
    assertEnvelope(
      await site.request('POST', KEYS, { as, body: { user: 'ann@example.com' } }),
      'PermissionError',
    );
  });

  test('what has expired does not hold', async () => {
    const { database, random } = site.site;
    let now = Date.now();
    const needs = { random, clock: { micros: () => now * 1000 } };
    const request = { client, user: 'ann@example.com', scope: 'all', redirectUri: CALLBACK, challenge: null };
    const redemption = { client, redirectUri: CALLBACK, verifier: null };
    const issue = () => database.transaction((db) => issueCode(db, needs, request));
    const late = await issue();
    now += LIMITS.oauthCodeLife;
    const tooLate = await database.transaction((db) => redeemCode(db, needs, { ...redemption, code: late }));
    assert.equal(tooLate.tokens, null);
    const code = await issue();
    const { tokens: given } = await database.transaction((db) =>
      redeemCode(db, needs, { ...redemption, code }),
    );
    assert.ok(given);
    now += LIMITS.oauthRefreshLife;
    const again = { token: given.refreshToken, client, scope: null };
    assert.equal((await database.transaction((db) => refreshTokens(db, needs, again))).tokens, null);

    const old = (await tokens()).access_token;
    await database.transaction((db) => db.run(sql`update "_oauth_grant" set "access_expires_at" = 1`));
    site.site.authenticator.forget();
    await gone(old);
  });

  test('no code, token or secret is stored as it is, and no user has too many grants', async () => {
    const { name: id, client_secret: secret } = await party.client();
    const given = (await party.redeem(id, await party.code(ann, id), { client_secret: secret })).body;
    const open = await party.code(ann, id);
    const { reader } = site.site.database;
    const seen = [given.access_token, given.refresh_token.split('.')[1], secret, open];
    for (const table of ['_oauth_grant', '_secret', 'OAuth Client', 'Version', '_change']) {
      const text = JSON.stringify(await reader.all(sql`select * from ${ident(table)}`));
      for (const value of seen) assert.ok(!text.includes(value), `${value} in ${table}`);
    }
    const request = {
      client: id,
      user: 'bob@example.com',
      scope: 'all',
      redirectUri: CALLBACK,
      challenge: null,
    };
    await site.site.database.transaction(async (db) => {
      for (let count = 0; count < LIMITS.oauthGrantsPerUser + 5; count += 1)
        await issueCode(db, site.site, request);
    });
    const count = await reader.get(
      sql`select count(*) as "n" from "_oauth_grant" where "user" = 'bob@example.com'`,
    );
    assert.equal(Number(count?.['n']), LIMITS.oauthGrantsPerUser);
  });

  test('the way back after signing in stays on this server', async () => {
    for (const target of [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'https:evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/\n/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      ' //evil.example',
      '/%2e//evil.example',
      'evil',
      '',
    ]) {
      const path = `/login?redirect-to=${encodeURIComponent(target)}`;
      const page = await site.request('GET', path, { as: null, headers: { cookie: ann } });
      assert.equal(page.status, 200);
      assert.match(page.text, /<a class="button main" href="\/">/, target);
      const form = await site.request('GET', path, { as: null });
      assert.match(form.text, /name="redirect-to" value="\/"/, target);
    }
    const page = await site.request('GET', '/login?redirect-to=%2Fx%3F%22%3E%3Cscript%3E', { as: null });
    assert.ok(!page.text.includes('<script'));
  });
});
