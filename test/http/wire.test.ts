/**
 * Headers of replies, verbs and CORS; test/wire has what is wrong with requests. One engine is enough: no
 * database is asked.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
});
after(() => site.stop());

describe('headers of every reply', () => {
  const requests: readonly (readonly [method: string, path: string])[] = [
    ['GET', '/health'],
    ['GET', '/ready'],
    ['GET', '/'],
    ['GET', '/api/method/ping'],
    ['HEAD', '/api/method/ping'],
    ['OPTIONS', '/api/method/ping'],
    ['GET', '/api/resource/Note'],
    ['PATCH', '/api/resource/Note'],
    ['GET', '/api/nothing'],
    ['GET', '/api/method/notes.broken'],
  ];
  for (const [method, path] of requests) {
    test(`${method} ${path}`, async () => {
      const { headers } = await site.request(method, path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(headers.get('x-request-id') ?? '', /^[\w-]{10,}$/);
      assert.equal(headers.get('server'), null);
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('access-control-allow-origin'), null);
    });
  }

  test('a sane X-Request-Id is kept, another replaced, no two are the same', async () => {
    const id = async (sent?: string) =>
      (
        await site.request('GET', '/health', sent === undefined ? {} : { headers: { 'x-request-id': sent } })
      ).headers.get('x-request-id');
    assert.equal(await id('trace-1.2:3_4'), 'trace-1.2:3_4');
    assert.notEqual(await id('a b'), 'a b');
    assert.notEqual(await id('x'.repeat(65)), 'x'.repeat(65));
    assert.notEqual(await id(), await id());
  });
});

describe('verbs', () => {
  test('HEAD is GET without a body', async () => {
    const head = await site.request('HEAD', '/api/method/ping');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('content-length'), String('{"message":"pong"}'.length));
  });

  test('OPTIONS answers 204 with Allow, other verbs 405 with Allow', async () => {
    const allowed: Record<string, string> = {
      '/health': 'GET, HEAD, OPTIONS',
      '/api/resource/Note': 'GET, POST, HEAD, OPTIONS',
      '/api/resource/Note/x': 'GET, POST, PUT, DELETE, HEAD, OPTIONS',
      '/api/v2/document/Note/x': 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
      '/api/method/upload_file': 'POST, OPTIONS',
    };
    for (const [path, allow] of Object.entries(allowed)) {
      const options = await site.request('OPTIONS', path, { as: null });
      assert.equal(options.status, 204);
      assert.equal(options.headers.get('allow'), allow);
      const offered = allow.split(', ');
      for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
        if (offered.includes(verb)) continue;
        const reply = await site.request(verb, path);
        assert.equal(reply.status, 405, `${verb} ${path}`);
        assert.equal(reply.headers.get('allow'), allow);
        if (verb !== 'HEAD') assertEnvelope(reply, 'MethodNotAllowedError');
      }
    }
  });
});

test('a failure of ours is 500 with a request id, observed in full and told to nobody', async () => {
  const reply = await site.request('GET', '/api/method/notes.broken');
  assertEnvelope(reply, 'InternalServerError', 500);
  assert.doesNotMatch(reply.text, /canary|secret|select/);
  const seen = site.observed.find(
    (one) => one.kind === 'unexpected' && one.requestId === reply.headers.get('x-request-id'),
  );
  assert.ok(seen?.kind === 'unexpected' && seen.error instanceof Error);
  assert.match(seen.error.message, /canary/);
});

describe('CORS', () => {
  let open: TestSite;
  before(async () => {
    open = await startTestSite('sqlite', {
      config: { allowCors: ['https://app.example'], logRequests: true },
    });
  });
  after(() => open.stop());

  test('an allowed origin is echoed, with credentials, in preflight and in errors', async () => {
    const headers = { origin: 'https://app.example' };
    const preflight = await open.request('OPTIONS', '/api/resource/User', {
      as: null,
      headers: {
        ...headers,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-press-team',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.equal(preflight.headers.get('access-control-allow-credentials'), 'true');
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization, x-press-team');
    const refused = await open.request('GET', '/api/resource/User', { as: 'token a:b', headers });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.equal(refused.headers.get('vary'), 'Origin');
  });

  test('another origin gets nothing', async () => {
    const reply = await open.request('GET', '/api/method/ping', {
      headers: { origin: 'https://evil.example' },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
    assert.equal(reply.headers.get('vary'), 'Origin');
  });

  test('requests are observed when the configuration asks for it', async () => {
    await open.request('GET', '/api/method/ping?pwd=x', { headers: { 'x-request-id': 'seen-1' } });
    const seen = () => open.observed.find((one) => one.kind === 'request' && one.id === 'seen-1');
    assert.ok(seen());
    assert.partialDeepStrictEqual(seen(), { method: 'GET', status: 200, user: 'Administrator' });
  });
});
