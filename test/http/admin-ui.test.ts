/** `/app`: the admin UI as it was built, under a policy that lets nothing else in, and everything that leads to it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { builtUi } from '../../src/http/admin/built-ui.ts';
import { temporaryFolder } from '../support/package.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

const PAGE = '<!doctype html><title>Admin</title><div id="root"></div>';
const SCRIPT = `console.log(${JSON.stringify('a'.repeat(2_000))})`;
const root = temporaryFolder('admin-ui');

/** A folder as the build writes it. */
function writeBuild(name: string): URL {
  const folder = join(root, name);
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const script = Buffer.from(SCRIPT);
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
  writeFileSync(join(folder, 'secret.txt'), 'not listed');
  writeFileSync(join(folder, 'assets/main-abc.js'), script);
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(script));
  const files = [
    { path: 'index.html', type: 'text/html; charset=utf-8', hash: 'page' },
    { path: 'favicon.svg', type: 'image/svg+xml', hash: 'icon' },
    { path: 'assets/main-abc.js', type: 'text/javascript; charset=utf-8', hash: 'main', br: 1, gzip: 1 },
  ];
  writeFileSync(join(folder, 'files.json'), JSON.stringify({ source: 'x', files }));
  return pathToFileURL(`${folder}/`);
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the admin UI', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('sqlite', { ui: builtUi(writeBuild('built')) });
  });
  after(() => site?.stop());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    site.request(method, path, { as: null, headers });

  /** The bytes as they were sent, which `fetch` would decode. */
  async function raw(path: string, accepted: string) {
    const { request } = await import('node:http');
    return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      request(site.url + path, { headers: { 'accept-encoding': accepted } }, async (reply) => {
        resolve({ headers: reply.headers, bytes: Buffer.concat(await reply.toArray()) });
      })
        .on('error', reject)
        .end();
    });
  }

  test('every address below /app is the page, which browsers ask for again each time', async () => {
    for (const path of ['/app', '/app/', '/app/d/Sales%20Invoice/INV-1', '/app/index.html', '/app?x=1']) {
      const reply = await get(path);
      assert.equal(reply.status, 200, path);
      assert.equal(reply.text, PAGE);
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(reply.headers.get('cache-control'), 'no-cache');
    }
    const head = await get('/app', {}, 'HEAD');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-length'), String(PAGE.length));
    assert.equal((await get('/app', {}, 'POST')).status, 405);
  });

  test('the page lets in nothing but its own scripts and styles, none of them inline', async () => {
    const { headers } = await get('/app/x');
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...values] = rule.split(' ');
        return [name, values.join(' ')];
      }),
    );
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'media-src': "'self' blob:",
      'manifest-src': "'self'",
      'frame-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
    });
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('permissions-policy'), 'camera=(), microphone=(), geolocation=()');
  });

  test('assets are kept for good, and sent in the coding that the client takes', async () => {
    const path = '/app/assets/main-abc.js';
    const codings: readonly [accepted: string, coding: string | undefined][] = [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', undefined],
      ['', undefined],
      ['x-br, bro', undefined],
    ];
    for (const [accepted, coding] of codings) {
      const { headers, bytes } = await raw(path, accepted);
      assert.equal(headers['content-encoding'], coding, accepted);
      const plain =
        coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
      assert.equal(String(plain), SCRIPT);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['vary'], 'Accept-Encoding');
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['etag'], coding ? `"main.${coding}"` : '"main"');
    }
    const icon = await get('/app/favicon.svg');
    assert.deepEqual([icon.text, icon.headers.get('cache-control')], ['<svg/>', 'no-cache']);
    assert.match(icon.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  });

  test('who has it already is told so', async () => {
    const etag = (await get('/app')).headers.get('etag') ?? '';
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await get('/app', { 'if-none-match': condition });
      assert.deepEqual([reply.status, reply.text], [304, ''], condition);
      assert.equal(reply.headers.get('etag'), etag);
    }
    assert.equal((await get('/app', { 'if-none-match': '"other"' })).status, 200);
  });

  test('an asset that is none is 404, and only what the build lists is reachable', async () => {
    for (const path of ['/app/assets/main-old.js', '/app/assets/', '/app/assets/..%2Fsecret.txt'])
      assert.equal((await get(path)).status, 404, path);
    for (const path of ['/app/secret.txt', '/app/files.json', '/app/..%2F..%2Fpackage.json'])
      assert.equal((await get(path)).text, PAGE, path);
  });

  test('a browser that opens the server, Frappe’s desk or the sign-in page is led to it', async () => {
    const led = async (path: string, headers: Record<string, string> = BROWSER) => {
      const reply = await get(path, headers);
      return reply.status === 302 ? reply.headers.get('location') : reply.status;
    };
    assert.equal(await led('/'), '/app');
    assert.equal(await led('/login'), '/app');
    assert.equal(await led('/desk', {}), '/app');
    assert.equal(await led('/desk/ticket/TICK%2F1?a=b%20c', {}), '/app/ticket/TICK%2F1?a=b%20c');
    assert.equal(await led('/desk//evil.example', {}), '/app//evil.example');
    assert.equal(await led('/desk/%0d%0aset-cookie:x', {}), '/app');
  });

  test('programs get from / and /login what they always got', async () => {
    const word = { name: 'chancery', api: '/api' };
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      assert.deepEqual((await get('/', headers)).body, word);
    const withKey = await site.request('GET', '/', { headers: BROWSER });
    assert.deepEqual(withKey.body, word);
    const sent = await get('/login?redirect-to=%2Fapi%2Fmethod%2Fping', BROWSER);
    assert.match(sent.text, /<form method="post" action="\/login">/);
    assert.match((await get('/login')).text, /<form/);
    assert.equal((await get('/?cmd=ping', BROWSER)).body.message, 'pong');
  });
});

test('while it is not built, /app says how it is, and signing in goes on without it', async () => {
  const folder = pathToFileURL(`${join(root, 'later')}/`);
  const site = await startTestSite('sqlite', { ui: builtUi(folder) });
  const page = (path: string): Promise<TestReply> =>
    site.request('GET', path, { as: null, headers: BROWSER });
  for (const path of ['/app', '/app/d/Note']) {
    const reply = await page(path);
    assert.equal(reply.status, 404);
    assert.match(reply.text, /The admin UI is not built.*npm run build/s);
  }
  assert.equal((await page('/app/assets/x.js')).status, 404);
  const told = await site.request('GET', '/app', { as: null });
  assert.equal(told.body.exc_type, 'DoesNotExistError');
  assert.match((await page('/login')).text, /<form/);
  writeBuild('later');
  assert.equal((await page('/app')).text, PAGE);
  await site.stop();
});

test('a server without it answers as if there were none', async () => {
  const config = { adminUi: false };
  const site = await startTestSite('sqlite', { config, ui: builtUi(writeBuild('off')) });
  const status = async (path: string) =>
    (await site.request('GET', path, { as: null, headers: BROWSER })).status;
  for (const path of ['/app', '/app/x', '/app/assets/main-abc.js', '/desk', '/desk/x'])
    assert.equal(await status(path), 404, path);
  assert.equal(await status('/'), 200);
  assert.equal(await status('/login'), 200);
  await site.stop();
});
