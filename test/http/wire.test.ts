/** The wire below the routes: framing, headers, encodings. One engine is enough, nothing here reaches a database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/kernel/limits.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

let site: TestSite;
let auth: string;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
  auth = `Authorization: token ${site.adminKey}`;
});
after(() => site.stop());

const ECHO = '/api/method/notes.echo';

function get(path: string, ...headers: string[]): Promise<Awaited<ReturnType<typeof sendRaw>>> {
  return sendRaw(
    site.url,
    `${[`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`,
  );
}

function post(body: string | Buffer, type = 'application/json', headers: Record<string, string> = {}) {
  return site.request('POST', ECHO, { body, headers: { 'content-type': type, ...headers } });
}

describe('requests that could be read in two ways', () => {
  const cases: readonly (readonly [name: string, request: string, status: number])[] = [
    ['two Host headers', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'two Authorization headers',
      'GET /health HTTP/1.1\r\nHost: a\r\nAuthorization: token a:b\r\nAuthorization: token c:d\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['no Host header', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a chunk that is no chunk',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['a folded header', 'GET /health HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n 2\r\nConnection: close\r\n\r\n', 400],
    ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : a\r\nConnection: close\r\n\r\n', 400],
    ['a bare line feed', 'GET /health HTTP/1.1\nHost: a\n\n', 400],
    ['NUL in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\nConnection: close\r\n\r\n', 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
  ];
  for (const [name, request, status] of cases) {
    test(name, async () => {
      const reply = await sendRaw(site.url, request);
      if (reply.text === '' && reply.status === status) return;
      assertEnvelope(reply, status, 'BadRequestError');
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(reply.headers.get('x-request-id'));
    });
  }

  test('an absolute-form address is read by its path', async () => {
    assert.equal((await get('http://elsewhere.example/api/method/ping/')).status, 200);
  });

  test('a verb that nothing offers is refused in the envelope', async () => {
    for (const verb of ['TRACE', 'QUERY', 'PROPFIND']) {
      for (const path of ['/health', '/api/resource/Note', '/nowhere']) {
        const request = `${verb} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
        const reply = await sendRaw(site.url, request);
        assertEnvelope(reply, 405, 'MethodNotAllowedError');
        assert.match(reply.headers.get('allow') ?? '', /GET/);
      }
    }
  });
});

describe('bounds', () => {
  test('too many headers are 431', async () => {
    const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
    assert.equal((await get('/health', ...headers(LIMITS.headerCount - 2))).status, 200);
    assertEnvelope(await get('/health', ...headers(LIMITS.headerCount)), 431, 'HeadersTooLargeError');
  });

  test('headers too large are 431, in the envelope', async () => {
    assertEnvelope(
      await get('/health', `X-A: ${'a'.repeat(LIMITS.headerBytes)}`),
      431,
      'HeadersTooLargeError',
    );
    assertEnvelope(await get(`/${'a'.repeat(LIMITS.headerBytes)}`), 431, 'HeadersTooLargeError');
  });

  test('a path segment too long is 414', async () => {
    assertEnvelope(await get(`/api/resource/${'a'.repeat(3000)}`, auth), 414, 'UriTooLongError');
  });

  test('a body too large is 413, announced or not', async () => {
    const announced = await sendRaw(
      site.url,
      `POST ${ECHO} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${LIMITS.bodyBytes + 1}\r\n\r\n{`,
    );
    assertEnvelope(announced, 413, 'RequestTooLargeError');
    const bytes = LIMITS.bodyBytes + 1;
    const head = `POST ${ECHO} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
    const unannounced = await sendRaw(
      site.url,
      Buffer.concat([Buffer.from(`${head}\r\n\r\n${bytes.toString(16)}\r\n`), Buffer.alloc(bytes, ' ')]),
    );
    assertEnvelope(unannounced, 413, 'RequestTooLargeError');
  });

  test('a client that goes on sending a refused body sees the refusal and keeps its connection', async () => {
    const bytes = LIMITS.bodyBytes + 1;
    const head = `POST ${ECHO} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}`;
    const next = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const body = Buffer.alloc(bytes, ' ');
    const reply = await sendRaw(
      site.url,
      Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body, Buffer.from(next)]),
    );
    assert.equal(reply.status, 413);
    assert.match(reply.text, /RequestTooLargeError.*HTTP\/1\.1 200 OK.*\{"status":"ok"\}$/s);
  });

  test('a form with too many fields is 413', async () => {
    const form = 'a=1&'.repeat(LIMITS.formFields);
    assertEnvelope(await post(form, 'application/x-www-form-urlencoded'), 413, 'RequestTooLargeError');
  });

  test('JSON nested too deep is 400, whatever its size', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.equal((await post(nested(LIMITS.jsonDepth))).status, 200);
    assertEnvelope(await post(nested(LIMITS.jsonDepth + 1)), 400, 'BadRequestError');
    assertEnvelope(await post('['.repeat(5_000_000)), 400, 'BadRequestError');
  });
});

describe('bodies', () => {
  const refused: readonly (readonly [name: string, body: string | Buffer, status: number, type?: string])[] =
    [
      ['malformed JSON', '{"a":', 400],
      ['JSON with a byte order mark', '\ufeff{"a":1}', 400],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 400],
      ['a key __proto__', '{"__proto__":{"a":1}}', 400],
      ['NUL in text', '{"a":"\\u0000"}', 400],
      ['a lone surrogate', '{"a":"\\ud800"}', 400],
      ['a scalar', '42', 417],
      ['text/plain', 'a=1', 415, 'text/plain'],
      ['an unknown type', 'a', 415, 'application/xml'],
      ['a type that is none', 'a', 415, 'nonsense'],
      ['multipart where none is taken', '--x--', 415, 'multipart/form-data; boundary=x'],
      ['NUL in a form', 'a=%00', 400, 'application/x-www-form-urlencoded'],
    ];
  for (const [name, body, status, type] of refused) {
    test(`${name}: ${status}`, async () => {
      const reply = await post(body, type ?? 'application/json');
      const types: Record<number, string> = {
        400: 'BadRequestError',
        415: 'UnsupportedMediaTypeError',
        417: 'ValidationError',
      };
      assertEnvelope(reply, status, types[status] ?? '');
    });
  }

  test('a compressed body is 415', async () => {
    const reply = await site.request('POST', ECHO, {
      body: gzipSync('{}'),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    assertEnvelope(reply, 415, 'UnsupportedMediaTypeError');
  });

  test('a body without a content type is 415', async () => {
    const reply = await sendRaw(
      site.url,
      `POST ${ECHO} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    );
    assertEnvelope(reply, 415, 'UnsupportedMediaTypeError');
  });

  test('JSON by any of its names, with parameters, is read; so is an empty body', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json\t; x=1',
      'Application/JSON',
      'application/vnd.api+json',
    ]) {
      const reply = await post('{"a":"é"}', type);
      assert.equal(reply.status, 200, type);
      assert.deepEqual(reply.body, { message: { a: 'é' } });
    }
    assert.deepEqual((await post('')).body, { message: {} });
    assert.deepEqual((await post('', 'application/x-www-form-urlencoded')).body, { message: {} });
  });

  test('of duplicate keys the last wins, of repeated parameters the first', async () => {
    assert.deepEqual((await post('{"a":1,"a":2}')).body.message, { a: 2 });
    assert.deepEqual((await post('a=1&a=2', 'application/x-www-form-urlencoded')).body.message, { a: '1' });
  });

  test('a JSON body hides the query; a form goes over it; an array is data', async () => {
    const send = async (body: string, type: string) =>
      (await site.request('POST', `${ECHO}?a=query&b=query`, { body, headers: { 'content-type': type } }))
        .body.message;
    assert.deepEqual(await send('{"a":1}', 'application/json'), { a: 1 });
    assert.deepEqual(await send('a=form', 'application/x-www-form-urlencoded'), { a: 'form', b: 'query' });
    assert.deepEqual(await send('[1]', 'application/json'), { data: [1] });
  });
});

describe('addresses', () => {
  test('the query is read leniently', async () => {
    const reply = await get(`${ECHO}?q=50%%20off&r=a+b&s=%ff&t={"a":[1]}&_=17&__proto__=x`);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(
      reply.text,
      '{"message":{"q":"50% off","r":"a b","s":"%ff","t":"{\\"a\\":[1]}","__proto__":"x"}}',
    );
  });

  test('a malformed path is 400, NUL is 400, in the envelope and with every header', async () => {
    for (const path of [
      '/api/resource/Note/%ff',
      '/api/method/%zz',
      '/%',
      '/api/resource/Note/a%00b',
      `${ECHO}?a=%00`,
    ]) {
      const reply = await get(path, auth);
      assertEnvelope(reply, 400, 'BadRequestError');
      assert.ok(reply.headers.get('x-request-id'), path);
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  test('an unknown path is 404 JSON', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/resource',
      '/api/v1/nothing',
      '/nothing',
      '//',
      '/api//method/ping',
    ]) {
      assertEnvelope(await get(path), 404, 'DoesNotExistError');
    }
  });
});

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
        if (verb !== 'HEAD') assertEnvelope(reply, 405, 'MethodNotAllowedError');
      }
    }
  });
});

test('a failure of ours is 500 with a request id, observed in full and told to nobody', async () => {
  const reply = await site.request('GET', '/api/method/notes.broken');
  assertEnvelope(reply, 500, 'InternalServerError');
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
