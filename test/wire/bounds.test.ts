/** What is too long, too large or too many: refused in the envelope before it costs anything. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
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
afterEach(async () => {
  await site.ok('GET', '/api/method/frappe.auth.get_logged_user');
});
after(() => site.stop());

const ECHO = '/api/method/notes.echo';
const ROUTES = [
  ['POST', ECHO],
  ['POST', '/api/resource/Note'],
  ['PUT', '/api/resource/Note/x'],
  ['POST', '/api/v2/document/Note'],
  ['POST', '/'],
] as const;

function get(path: string, ...headers: readonly string[]): ReturnType<typeof sendRaw> {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers];
  return sendRaw(site.url, `${lines.join('\r\n')}\r\n\r\n`);
}

describe('the head of a request', () => {
  const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
  test(`${LIMITS.headerCount} headers pass, one more is 431`, async () => {
    assert.equal((await get('/health', ...headers(LIMITS.headerCount - 2))).status, 200);
    assertEnvelope(await get('/health', ...headers(LIMITS.headerCount - 1)), 'HeadersTooLargeError');
  });
  test('1,500 small headers are 431', async () => {
    assertEnvelope(await get('/health', ...headers(1_500)), 'HeadersTooLargeError');
  });
  test('one header too large is 431', async () => {
    const header = `X-A: ${'a'.repeat(LIMITS.headerBytes)}`;
    assertEnvelope(await get('/health', header), 'HeadersTooLargeError');
  });
  test('an address too long is 431, one part of it 414', async () => {
    assertEnvelope(await get(`/${'a'.repeat(LIMITS.headerBytes)}`), 'HeadersTooLargeError');
    assertEnvelope(await get(`/api/resource/${'a'.repeat(3_000)}`, auth), 'UriTooLongError');
  });
  test('an endless address is cut off', async () => {
    const reply = await sendRaw(site.url, `GET /${'a'.repeat(200_000)}`);
    assertEnvelope(reply, 'HeadersTooLargeError');
  });
});

describe('a body too large is 413', () => {
  const head = (verb: string, path: string, ...headers: readonly string[]) =>
    [`${verb} ${path} HTTP/1.1`, 'Host: a', auth, 'Content-Type: application/json', ...headers, '', ''].join(
      '\r\n',
    );
  for (const [verb, path] of ROUTES) {
    test(`${verb} ${path}, as announced`, async () => {
      const reply = await sendRaw(
        site.url,
        `${head(verb, path, `Content-Length: ${LIMITS.bodyBytes + 1}`)}{`,
      );
      if (path.startsWith('/api/v2')) {
        assert.equal(reply.status, 413);
        assert.equal(JSON.parse(reply.text).errors[0].type, 'RequestTooLargeError');
      } else assertEnvelope(reply, 'RequestTooLargeError');
    });
  }
  test('in chunks, unannounced', async () => {
    const bytes = LIMITS.bodyBytes + 1;
    const reply = await sendRaw(
      site.url,
      Buffer.concat([
        Buffer.from(`${head('POST', ECHO, 'Transfer-Encoding: chunked')}${bytes.toString(16)}\r\n`),
        Buffer.alloc(bytes, ' '),
      ]),
    );
    assertEnvelope(reply, 'RequestTooLargeError');
  });
  test('a form with too many fields', async () => {
    const reply = await site.request('POST', ECHO, {
      body: 'a=1&'.repeat(LIMITS.formFields),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assertEnvelope(reply, 'RequestTooLargeError');
  });
});
