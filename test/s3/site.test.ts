import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { engineOf } from '../support/describe-site.ts';
import { MAX_BYTES, startFileSite } from '../support/files.ts';
import { startProxy } from '../support/proxy.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

describe('a site on S3', { skip: NO_S3 }, () => {
  let server: S3Server;
  before(async () => {
    server = await startS3();
  });
  after(() => server?.stop());

  for (const engine of engineOf('files in s3')) {
    test(`files are stored, sent, changed and deleted on ${engine}`, async () => {
      const on = await startFileSite(engine, { files: await newBucket(server) });
      try {
        const bytes = randomBytes(MAX_BYTES);
        const stored = await on.stored('large.bin', bytes, { is_private: '1' });
        assert.equal(await on.keys(), 1);
        const found = await on.request('GET', stored.file_url);
        assert.equal(found.status, 200);
        assert.equal(found.headers.get('content-length'), String(MAX_BYTES));
        assert.equal((await on.get(stored.file_url)).status, 403);
        const small = await on.stored('small.txt', 'hello');
        const part = await on.get(small.file_url, null, { range: 'bytes=1-2' });
        assert.deepEqual([part.status, part.text], [206, 'el']);
        assert.equal((await on.upload('too-large.bin', randomBytes(MAX_BYTES + 1))).status, 417);
        for (const { name } of [stored, small]) {
          await on.ok('DELETE', `/api/resource/File/${name}`);
        }
        await until(async () => (await on.keys()) === 0);
      } finally {
        await on.stop();
      }
    });
  }

  test('downloads are redirected to the store, for whoever may have the file', async () => {
    const on = await startFileSite('sqlite', {
      files: await newBucket(server),
      downloads: { ...DEFAULT_CONFIG.downloads, presign: 60 },
    });
    try {
      const stored = await on.stored('a€.txt', 'hello', { is_private: '1' });
      const reply = await on.request('GET', stored.file_url);
      assert.equal(reply.status, 302);
      assert.equal(reply.headers.get('cache-control'), 'private, no-store');
      const url = reply.headers.get('location') ?? '';
      assert.ok(url.startsWith(`${server.endpoint}/`));
      const found = await fetch(url);
      assert.equal(await found.text(), 'hello');
      assert.match(found.headers.get('content-disposition') ?? '', /^inline; .*a%E2%82%AC\.txt/);
      const part = await fetch(on.url + stored.file_url, {
        headers: { authorization: `token ${on.adminKey}`, range: 'bytes=1-2' },
        redirect: 'manual',
      });
      assert.equal(part.status, 302);
      assert.equal((await fetch(url, { headers: { range: 'bytes=1-2' } })).status, 206);

      const refused = await on.get(stored.file_url);
      assert.equal(refused.status, 403);
      assert.equal(refused.headers.get('location'), null);
      const head = await on.request('HEAD', stored.file_url);
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '5']);
      const etag = head.headers.get('etag') ?? '';
      const same = await on.request('GET', stored.file_url, { headers: { 'if-none-match': etag } });
      assert.equal(same.status, 304);
    } finally {
      await on.stop();
    }
  });

  test('a store that is down answers 503 for files, and documents go on', async () => {
    const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(server.endpoint).port) });
    const on = await startFileSite('sqlite', {
      files: await newBucket(server, `http://127.0.0.1:${proxy.port}`),
    });
    try {
      const note = await on.create('Note', {});
      const bytes = randomBytes(MAX_BYTES);
      const place = { doctype: 'Note', docname: note };
      const stored = await on.stored('a.bin', bytes, place);
      await proxy.cut();
      for (let turn = 0; turn < 3; turn += 1) {
        for (const reply of [await on.upload('b.txt', 'b'), await on.get(stored.file_url)]) {
          assert.equal(reply.status, 503);
          assert.equal(reply.headers.get('retry-after'), '3');
          assert.equal(reply.body.exc_type, 'ServiceUnavailableError');
          assert.equal(reply.headers.get('content-disposition'), null);
          assert.doesNotMatch(reply.text, /ECONNREFUSED|127\.0\.0\.1/);
        }
      }
      await on.create('Note', { title: 'written meanwhile' });
      await on.ok('DELETE', `/api/resource/Note/${note}`);
      const warnings = on.observed.filter(({ kind }) => kind === 'warning');
      assert.equal(warnings.length, 1);
      assert.match(JSON.stringify(warnings), /ECONNREFUSED/);

      await proxy.mend();
      await until(async () => (await on.upload('c.txt', 'c')).status === 200);
    } finally {
      await on.end();
      await proxy.cut();
    }
  });

  test('two nodes share a bucket', async () => {
    const files = await newBucket(server);
    const secretKey = randomBytes(32).toString('base64');
    const quarantine = { bytes: 0 };
    const one = await startTestSite('postgres', { config: { files, secretKey, quarantine } });
    let two: TestSite | null = null;
    try {
      const { database } = one.site.config;
      two = await startTestSite('postgres', { config: { files, secretKey, database, quarantine } });
      const form = new FormData();
      form.set('file', new Blob(['shared']), 'shared.txt');
      const { name, file_url: url } = await one.call('upload_file', form);
      assert.equal((await two.request('GET', url, { as: null })).text, 'shared');
      await two.ok('DELETE', `/api/resource/File/${name}`);
      assert.equal((await one.request('GET', url, { as: null })).status, 404);
      await until(async () => {
        for await (const _ of one.site.storage.list()) return false;
        return true;
      });
    } finally {
      await two?.stop();
      await one.stop();
    }
  });
});
