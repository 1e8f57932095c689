/** Downloads that the web server in front sends itself: this one decides, and names the file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const WAYS = [
  { header: 'x-accel-redirect', downloads: { accelRedirect: '/protected/' }, place: '/protected/' },
  { header: 'x-sendfile', downloads: { sendfile: true }, place: null },
];

for (const { header, downloads, place } of WAYS) {
  describe(`downloads by ${header}`, () => {
    let site: TestSite;
    let url: string;
    before(async () => {
      site = await startTestSite('sqlite', {
        config: { downloads: { ...DEFAULT_CONFIG.downloads, ...downloads } },
      });
      const body = { file_name: 'a.html', content: 'the bytes', is_private: 1 };
      const made = await site.make('File', body);
      url = made.file_url;
    });
    after(() => site.stop());

    test('name the file and how it is to be shown, for whoever may have it', async () => {
      for (const method of ['GET', 'HEAD']) {
        const reply = await site.request(method, url, { headers: { range: 'bytes=0-1' } });
        assert.equal(reply.status, 200);
        assert.equal(reply.text, '');
        const given = reply.headers.get(header) ?? '';
        const root = join(site.site.config.data, 'files');
        if (place !== null) assert.ok(given.startsWith(place), given);
        const path = place === null ? given : join(root, given.slice(place.length));
        assert.ok(path.startsWith(root), path);
        assert.equal(await readFile(path, 'utf8'), 'the bytes');
        assert.match(reply.headers.get('content-disposition') ?? '', /^attachment; filename="a.html"/);
        assert.equal(reply.headers.get('content-type'), 'application/octet-stream');
        assert.equal(reply.headers.get('content-security-policy'), "sandbox; default-src 'none'");
        assert.equal(reply.headers.get('cache-control'), 'private, no-store');
        // Of the file as the other server has it.
        assert.equal(reply.headers.get('etag'), null);
      }
    });

    test('name nothing to anybody else', async () => {
      const headers = { 'x-use-x-accel-redirect': 'on', 'x-sendfile-type': 'X-Accel-Redirect' };
      const refused = await site.request('GET', url, { as: null, headers });
      assertEnvelope(refused, 'PermissionError');
      assert.equal(refused.headers.get(header), null);
    });
  });
}

test('without the setting no header of a request brings it about', async () => {
  const site = await startTestSite('sqlite');
  try {
    const body = { file_name: 'a.txt', content: 'the bytes' };
    const { file_url: url } = await site.make('File', body);
    const headers = { 'x-use-x-accel-redirect': 'on', 'x-sendfile-type': 'X-Sendfile' };
    const reply = await site.request('GET', url, { headers });
    assert.equal(reply.text, 'the bytes');
    for (const { header } of WAYS) assert.equal(reply.headers.get(header), null);
  } finally {
    await site.stop();
  }
});
