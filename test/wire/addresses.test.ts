/** Addresses: escapes, dots, NUL, names as long as names may be, and queries that clients got wrong. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope, type RawReply, sendRaw } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
});
afterEach(async () => {
  await site.ok('GET', '/api/method/frappe.auth.get_logged_user');
});
after(async () => {
  await site.stop();
  assert.deepEqual(
    site.observed.filter(({ kind }) => kind === 'unexpected'),
    [],
  );
});

function get(path: string, ...headers: readonly string[]): Promise<RawReply> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: a',
    'Connection: close',
    `Authorization: token ${site.adminKey}`,
    ...headers,
  ];
  return sendRaw(site.url, Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
}

const NOTE = '/api/resource/Note';
const ECHO = '/api/method/notes.echo';

describe('names in the path', () => {
  for (const [what, name] of [
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a percent sign', '50% off'],
    ['what looks like an escape', 'a%2Fb'],
    ['a question mark and a number sign', 'what? #1'],
    ['a plus', 'a+b'],
    ['a semicolon', 'a;b=c'],
    ['quotes', `a'b"c`],
    ['three dots', '...'],
    ['dots within', 'a..b'],
    ['140 code points', 'n'.repeat(LIMITS.nameLength)],
    ['140 Chinese characters', '文'.repeat(LIMITS.nameLength)],
    ['140 characters beyond the first plane', '😀'.repeat(LIMITS.nameLength)],
  ] as const) {
    test(`${what} makes the round trip`, async () => {
      await site.ok('POST', NOTE, { body: { name, title: 'T' } });
      const reply = await get(`${NOTE}/${encodeURIComponent(name)}`);
      assert.equal(JSON.parse(reply.text).data.name, name);
    });
  }

  for (const [what, name, status] of [
    ['one more than 140 code points', 'n'.repeat(LIMITS.nameLength + 1), 417],
    ['one more than 140 Chinese characters', '文'.repeat(LIMITS.nameLength + 1), 417],
    ['one dot', '.', 409],
    ['two dots', '..', 409],
    ['two dots within slashes', 'a/../b', 409],
    ['a line feed', 'a\nb', 409],
    ['a control character', 'a\u0085b', 409],
    ['a change of direction', 'a\u202eb', 409],
    ['NUL', 'a\0b', 400],
    ['a lone surrogate', 'a\ud800', 400],
  ] as const) {
    test(`a name that is or has ${what} is refused`, async () => {
      const reply = await site.request('POST', NOTE, { body: { name, title: 'T' } });
      assertEnvelope(reply, reply.body.exc_type, status);
    });
  }

  test('a long name gives 404, a very long one 414', async () => {
    assertEnvelope(await get(`${NOTE}/${'n'.repeat(LIMITS.nameLength + 1)}`), 'DoesNotExistError');
    assertEnvelope(await get(`/api/resource/${'a'.repeat(3000)}`), 'UriTooLongError');
  });

  for (const dots of ['..', '%2e%2e', '%2E%2e', '..%2f..%2fetc%2fpasswd', '..%5c..%5cetc', '.']) {
    test(`${dots} as a name is not found`, async () => {
      for (const path of [`${NOTE}/${dots}`, `/files/${dots}`, `/private/files/${dots}`, `/docs/${dots}`]) {
        const reply = await get(path);
        assert.ok([403, 404].includes(reply.status), `${path}: ${reply.status} ${reply.text}`);
        assert.doesNotMatch(reply.text, /root:/);
      }
    });
  }

  test('dots are not parent directories', async () => {
    for (const path of ['/api/resource/../method/ping', '/api/resource/%2e%2e/method/ping', '/x/../health']) {
      assert.notEqual((await get(path)).status, 200, path);
    }
  });
});

describe('escapes', () => {
  for (const path of [
    `${NOTE}/%ff`,
    `${NOTE}/%c0%af`,
    `${NOTE}/%ed%a0%80`,
    '/api/method/%zz',
    '/%',
    '/%ff',
  ]) {
    test(`${path} is 400`, async () => {
      const reply = await get(path);
      assertEnvelope(reply, 'BadRequestError');
      assert.ok(reply.headers.get('x-request-id'));
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    });
  }
  for (const path of [`${NOTE}/a%00b`, `${ECHO}?a=%00`, '/files/a%00.png', '/%00']) {
    test(`${path}: NUL gives 400`, async () => assertEnvelope(await get(path), 'BadRequestError'));
  }
  for (const path of [`${NOTE}/é`, `${NOTE}/a b`, `${NOTE}/a\tb`, 'api/method/ping']) {
    test(`${JSON.stringify(path)} unescaped is 400`, async () =>
      assertEnvelope(await get(path), 'BadRequestError'));
  }
});

describe('queries', () => {
  test('malformed escapes stay literal', async () => {
    const reply = await get(`${ECHO}?q=50%%20off&r=a+b&s=%ff&t=%zz&u=%c3%a9%ff&v={"a":[1]}&_=17`);
    assert.equal(
      reply.text,
      '{"message":{"q":"50% off","r":"a b","s":"%ff","t":"%zz","u":"%c3%a9%ff","v":"{\\"a\\":[1]}"}}',
    );
  });
  test('__proto__ and constructor are names like any other', async () => {
    const reply = await get(`${ECHO}?__proto__=x&constructor=y&__proto__[admin]=1&hasOwnProperty=z`);
    assert.equal(
      reply.text,
      '{"message":{"__proto__":"x","constructor":"y","__proto__[admin]":"1","hasOwnProperty":"z"}}',
    );
    assert.equal(Reflect.get({}, 'admin'), undefined);
    const list = await get(`${NOTE}?__proto__=x&constructor=y&limit_page_length=1`);
    assert.equal(list.status, 200, list.text);
    assert.match(list.headers.get('x-ignored-parameters') ?? '', /constructor/);
  });
});

describe('forms of an address', () => {
  for (const path of [
    'http://elsewhere.example/api/method/ping/',
    'http://user:pass@elsewhere.example/api/method/ping',
    'HTTP://elsewhere.example:81/api/v1/method/ping',
    '/api/method/ping#part',
  ]) {
    test(`${path} is read by its path`, async () =>
      assert.equal((await get(path)).text, '{"message":"pong"}'));
  }
  test('a query without a path applies to the root', async () => {
    const reply = await get('http://elsewhere.example?cmd=ping&x=/api/method/notes.echo');
    assert.equal(reply.text, '{"message":"pong"}');
  });
  const targets = [
    '*',
    '*x',
    '*/api/method/ping',
    '*?cmd=ping',
    'elsewhere.example:80',
    'http://',
    'http:///api/method/ping',
    'http://:80/api/method/ping',
    'http://a@b@c/api/method/ping',
    'http://a:99999999/api/method/ping',
    'ftp://elsewhere.example/api/method/ping',
    'javascript:ping',
    '?cmd=ping',
  ];
  for (const target of targets) {
    test(`${target} is 400 for every verb`, async () => {
      for (const verb of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (verb === 'OPTIONS' && target === '*') continue;
        const reply = await sendRaw(
          site.url,
          `${verb} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        );
        assert.equal(reply.status, 400, verb);
        if (verb !== 'HEAD') assertEnvelope(reply, 'BadRequestError');
      }
    });
  }
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/resource',
    '/api/v1/nothing',
    '/nothing',
    '//',
    '/api//method/ping',
    '/API/method/ping',
    '/api\\method\\ping',
    '/api/method/ping;x=1',
    '/api%2Fmethod%2Fping',
  ]) {
    test(`${path} is 404 in the envelope`, async () => assertEnvelope(await get(path), 'DoesNotExistError'));
  }
});
