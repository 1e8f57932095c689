/** What every reply carries, over all routes there are; and that asking whether the server lives costs nothing. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RegisteredRoute } from '../../src/http/route-table.ts';
import { createServer } from '../../src/http/server.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { type RawReply, sendRaw } from '../support/wire.ts';

let site: TestSite;
let routes: readonly RegisteredRoute[];
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
  const server = createServer(site.site);
  await server.ready();
  routes = server.registeredRoutes;
  await server.close();
});
after(() => site.stop());

/** What differs between replies in every way that is no concern here. */
const VARYING: ReadonlySet<string> = new Set([
  ...['date', 'content-length', 'content-type', 'connection', 'keep-alive', 'transfer-encoding'],
  ...['x-request-id', 'allow', 'etag', 'vary', 'x-ignored-parameters', 'accept-ranges', 'retry-after'],
  ...['ratelimit', 'ratelimit-policy', 'www-authenticate'],
]);

/** The snapshot. */
const CARRIED = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

function carried(headers: RawReply['headers']): Record<string, string> {
  // What the protocol of resumable uploads says of the server.
  const tus = (name: string) => name.startsWith('tus-');
  return Object.fromEntries([...headers].filter(([name]) => !VARYING.has(name) && !tus(name)).sort());
}

test('every route answers guests with the same security headers and no banner', async () => {
  assert.ok(routes.length > 50);
  for (const { method, path } of routes) {
    // These pages bring their own: the reference and the admin UI run scripts of ours, the others have a form.
    if (/^\/(?:docs|app|desk|login$|update-password$)/.test(path)) continue;
    const target = path.replace(':doctype', 'Note').replace(/:\w+|\*/g, 'x');
    const request = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const { status, headers } = await sendRaw(site.url, request);
    const what = `${method} ${path}: ${status}`;
    assert.ok(status >= 200 && status < 500, what);
    assert.match(headers.get('x-request-id') ?? '', /^[\w-]{10,}$/, what);
    const own = target === '/api/openapi.json' && status === 200;
    assert.deepEqual(
      carried(headers),
      own ? { ...CARRIED, 'cache-control': 'private, no-cache' } : CARRIED,
      what,
    );
    const type = headers.get('content-type');
    if (type !== undefined) assert.match(type, /^application\/json/, what);
  }
});

test('replies before routing have the same headers', async () => {
  for (const request of [
    'garbage\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    'GET /%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ]) {
    const { headers } = await sendRaw(site.url, request);
    assert.deepEqual(carried(headers), CARRIED, request.slice(0, 20));
    assert.ok(headers.get('x-request-id'));
  }
});

test('/health queries neither the database nor the storage', async () => {
  const untouchable = {
    get(_: unknown, key: string): null {
      // The server looks at its start whether there are any.
      if (key === 'replicas') return null;
      throw new Error(`asked: ${key}`);
    },
  };
  const deaf = Object.create(site.site, {
    database: { value: new Proxy(site.site.database, untouchable) },
    storage: { value: new Proxy(site.site.storage, untouchable) },
  });
  const server = createServer(deaf);
  const { statusCode, body } = await server.inject({ url: '/health', headers: { host: 'a' } });
  assert.deepEqual([statusCode, body], [200, '{"status":"ok"}']);
  assert.equal((await server.inject({ url: '/ready', headers: { host: 'a' } })).statusCode, 503);
  await server.close();
});
