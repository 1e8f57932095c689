/** The reference page: every part from this server, under a policy that lets nothing else in. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestSite, type TestSite } from '../support/site.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite');
});
after(() => site.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  site.request('GET', path, { as: null, headers });

test('the page names its parts, all of them here and kept by browsers', async () => {
  const page = await get('/docs');
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(policy, /https?:|unsafe/);
  assert.doesNotMatch(page.text, /<script>|https?:\/\//);
  const parts = [...page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.equal(parts.length, 3);
  for (const path of parts) {
    const part = await get(path);
    assert.equal(part.status, 200, path);
    assert.equal(part.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(
      part.headers.get('content-type') ?? '',
      path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
    );
    const plain = await get(path, { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(plain.text, part.text);
  }
  const viewer = await get(parts.find((path) => path.includes('viewer') && path.endsWith('.js')) ?? '');
  assert.match(viewer.text, /SwaggerUIBundle/);
});

test('a part that is none is 404, and no file of the package is reachable', async () => {
  for (const path of ['/docs/viewer.js', '/docs/..%2Fpackage.json', '/docs/swagger-ui.css', '/docs/a/b']) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert.equal((await site.request('POST', '/docs')).status, 405);
});
