/** Requests that two readers could understand differently: refused, so that no proxy in front is deceived. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
});
afterEach(async () => {
  const reply = await site.request('GET', '/api/method/frappe.auth.get_logged_user');
  assert.deepEqual(
    reply.body,
    { message: 'Administrator' },
    'the server answers a normal request afterwards',
  );
});
after(async () => {
  await site.stop();
  assert.deepEqual(
    site.observed.filter(({ kind }) => kind === 'unexpected'),
    [],
  );
});

const HOST = 'Host: a\r\n';
const CLOSE = 'Connection: close\r\n';
const POST = `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const GET = `GET /api/method/ping HTTP/1.1\r\n${HOST}`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

type Case = readonly [name: string, request: string, status?: number, type?: string];

function refuses(cases: readonly Case[]): void {
  for (const [name, request, status = 400, type = 'BadRequestError'] of cases) {
    test(name, async () => {
      const reply = await sendRaw(site.url, Buffer.from(request, 'latin1'));
      assertEnvelope(reply, type, status);
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(reply.headers.get('connection'), 'close');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(reply.headers.get('x-request-id'));
    });
  }
}

function accepts(cases: readonly (readonly [name: string, request: string, message: unknown])[]): void {
  for (const [name, request, message] of cases) {
    test(name, async () => {
      const reply = await sendRaw(site.url, Buffer.from(request, 'latin1'));
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(JSON.parse(reply.text), { message });
    });
  }
}

describe('the length of a body', () => {
  refuses([
    ['two Content-Length headers', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['two equal Content-Length headers', `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
    ['two lengths in one header', `${POST}Content-Length: 2, 2\r\n\r\n{}`],
    ['Content-Length: +2', `${POST}Content-Length: +2\r\n\r\n{}`],
    ['Content-Length: -2', `${POST}Content-Length: -2\r\n\r\n{}`],
    ['Content-Length: 0x2', `${POST}Content-Length: 0x2\r\n\r\n{}`],
    ['Content-Length: empty', `${POST}Content-Length:\r\n\r\n{}`],
    ['a length that overflows', `${POST}Content-Length: 99999999999999999999999\r\n\r\n{}`],
    [
      'Content-Length and Transfer-Encoding',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    ['Transfer-Encoding: bogus', `${POST}Transfer-Encoding: bogus\r\n\r\n{}`],
    ['Transfer-Encoding: xchunked', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['Transfer-Encoding: identity', `${POST}Transfer-Encoding: identity\r\n\r\n{}`],
    ['Transfer-Encoding: chunked, identity', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    [
      'Transfer-Encoding: gzip, chunked',
      `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'two Transfer-Encoding headers',
      `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a vertical tab before chunked', `${POST}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
    [
      'chunks in HTTP/1.0',
      'POST /api/method/notes.echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ]);
});

describe('chunks', () => {
  refuses([
    ['a size that is no number', `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`],
    ['a negative size', `${CHUNKED}-2\r\n{}\r\n0\r\n\r\n`],
    ['a size with 0x', `${CHUNKED}0x2\r\n{}\r\n0\r\n\r\n`],
    ['a size that overflows', `${CHUNKED}ffffffffffffffffff\r\n{}`],
    ['no line end after a chunk', `${CHUNKED}2\r\n{}0\r\n\r\n`],
    ['bare line feeds', `${CHUNKED}2\n{}\n0\n\n`],
    ['a line feed in an extension', `${CHUNKED}2;a\nxx\r\n{}\r\n0\r\n\r\n`],
    [
      'extensions without end',
      `${CHUNKED}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      413,
      'RequestTooLargeError',
    ],
    [
      'trailers without end',
      `${CHUNKED}2\r\n{}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'HeadersTooLargeError',
    ],
  ]);
  const head = `${POST}${CLOSE}Transfer-Encoding: chunked\r\n\r\n`;
  accepts([['chunks and an extension are read', `${head}2;x=y\r\n{"\r\n5\r\na":1}\r\n0\r\n\r\n`, { a: 1 }]]);
  test('a trailer cannot carry credentials', async () => {
    const request = `${head.replace('notes.echo', 'frappe.client.get_list')}2\r\n{}\r\n0\r\nAuthorization: token ${site.adminKey}\r\n\r\n`;
    assertEnvelope(await sendRaw(site.url, request), 'PermissionError');
  });
});

describe('header lines', () => {
  refuses([
    ['a bare line feed', `GET /health HTTP/1.1\nHost: a\n\n`],
    ['a bare carriage return', `${GET}X: a\rb\r\n\r\n`],
    ['a folded header', `${GET}X-A: 1\r\n 2\r\n\r\n`],
    ['a space before the colon', `GET /health HTTP/1.1\r\nHost : a\r\n\r\n`],
    ['a space before the first header', `GET /health HTTP/1.1\r\n Host: a\r\n\r\n`],
    ['no colon', `${GET}Foo\r\n\r\n`],
    ['no name', `${GET}: x\r\n\r\n`],
    ['NUL in a header', `${GET}X-A: a\0b\r\n\r\n`],
    ['a control character in a header', `${GET}X-A: a\x01b\r\n\r\n`],
    ['a name of other characters', `${GET}X(A): b\r\n\r\n`],
  ]);
});

describe('headers with a meaning', () => {
  const one = `GET /api/method/ping HTTP/1.1\r\n${CLOSE}`;
  refuses([
    ['no Host', `${one}\r\n`],
    ['two Host headers', `${one}Host: a\r\nHost: b\r\n\r\n`],
    ['two equal Host headers', `${one}Host: a\r\nhost: a\r\n\r\n`],
    ['a Host that is an address', `${one}Host: a/b\r\n\r\n`],
    ['a Host with a user', `${one}Host: u@a\r\n\r\n`],
    [
      'two Authorization headers',
      `${one}${HOST}Authorization: token a:b\r\nAuthorization: token c:d\r\n\r\n`,
    ],
    [
      'two Authorization headers of two kinds',
      `${one}${HOST}Authorization: token a:b\r\nauthorization: Basic YTpi\r\n\r\n`,
    ],
    [
      'two content types',
      `${POST}${CLOSE}Content-Type: text/plain\r\nContent-Length: 3\r\n\r\na=1`,
      415,
      'UnsupportedMediaTypeError',
    ],
    [
      'two content encodings',
      `${POST}${CLOSE}Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
      415,
      'UnsupportedMediaTypeError',
    ],
  ]);

  test('Connection cannot remove the credentials', async () => {
    const reply = await sendRaw(
      site.url,
      `GET /api/method/frappe.auth.get_logged_user HTTP/1.1\r\nHost: a\r\nAuthorization: token ${site.adminKey}\r\nConnection: close, Authorization, Host\r\n\r\n`,
    );
    assert.equal(reply.text, '{"message":"Administrator"}');
  });

  test('headers that would change the verb or the path are ignored', async () => {
    const request = `GET /api/nothing HTTP/1.1\r\n${HOST}${CLOSE}X-HTTP-Method-Override: POST\r\nX-Original-URL: /api/method/ping\r\nX-Rewrite-URL: /api/method/ping\r\n\r\n`;
    assertEnvelope(await sendRaw(site.url, request), 'DoesNotExistError');
  });
});

describe('other protocols', () => {
  refuses([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['the greeting of TLS', '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['HTTP/2.0 in a request line', `GET /api/method/ping HTTP/2.0\r\n${HOST}${CLOSE}\r\n`],
    ['HTTP/1.2', `GET /api/method/ping HTTP/1.2\r\n${HOST}${CLOSE}\r\n`],
    ['HTTP/0.9', 'GET /api/method/ping\r\n\r\n'],
    ['a byte order mark', `\xef\xbb\xbf${GET}${CLOSE}\r\n`],
  ]);
  accepts([
    ['HTTP/1.0 needs no Host', 'GET /api/method/ping HTTP/1.0\r\n\r\n', 'pong'],
    ['empty lines before a request', `\r\n\r\n${GET}${CLOSE}\r\n`, 'pong'],
    [
      'an upgrade to WebSocket is not taken up',
      `${GET}Connection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      'pong',
    ],
    [
      'an upgrade to HTTP/2 is not taken up',
      `${GET}Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      'pong',
    ],
  ]);
});

describe('verbs', () => {
  for (const verb of ['TRACE', 'QUERY', 'PROPFIND', 'CONNECT']) {
    test(`${verb} gives 405 with Allow`, async () => {
      for (const path of ['/health', '/api/resource/Note', '/nowhere']) {
        const target = verb === 'CONNECT' ? 'a:80' : path;
        const reply = await sendRaw(site.url, `${verb} ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
        assertEnvelope(reply, 'MethodNotAllowedError');
        assert.match(reply.headers.get('allow') ?? '', /GET/);
      }
    });
  }
  refuses([
    ['a verb that HTTP does not know', `FOO /health HTTP/1.1\r\n${HOST}\r\n`],
    ['a verb in small letters', `get /health HTTP/1.1\r\n${HOST}\r\n`],
  ]);
  test('OPTIONS gives 204 with Allow, also for the whole server', async () => {
    for (const path of ['*', '/', '/api/method/ping']) {
      const reply = await sendRaw(site.url, `OPTIONS ${path} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      assert.equal(reply.status, 204);
      assert.match(reply.headers.get('allow') ?? '', /GET.*OPTIONS/);
    }
  });
});
