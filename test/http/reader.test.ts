/** A server that only reads forwards all else to the one that writes, and both look like one to clients. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { DOCUMENT_ADDRESSES } from '../../src/http/documents/addresses.ts';
import { onlyReads } from '../../src/operation/operation.ts';
import { formOf, growthDuring, post, residentBytes } from '../support/big-upload.ts';
import { listen } from '../support/events.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { inTheEnd, until } from '../support/until.ts';

/** Fails to sign in from an address of this machine. Resolves to the address that the audit log gives. */
async function failToSignIn(
  site: TestSite,
  url: string,
  { localAddress, headers }: { localAddress: string; headers: Record<string, string> },
) {
  const id = `id-${Math.random()}`;
  const replied = Promise.withResolvers<unknown>();
  const body = JSON.stringify({ usr: 'nobody@example.com', pwd: 'x' });
  const asked = send(
    `${url}/api/method/login`,
    {
      method: 'POST',
      localAddress,
      headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
    },
    (reply) => replied.resolve([reply.statusCode, reply.headers['x-request-id'], reply.resume()]),
  );
  asked.on('error', replied.reject);
  asked.end(body);
  const [status, echoed] = (await replied.promise) as [number, string];
  assert.deepEqual([status, echoed], [401, id]);
  const rows = await until(
    () => site.site.database.reader.all(sql`select "address" from "_audit" where "request_id" = ${id}`),
    ({ length }) => length > 0,
  );
  return rows[0]?.['address'];
}

test('the writer knows the address of a client by its reader, and by nobody else', async () => {
  const site = await startTestSite('sqlite', { reader: true, config: { trustProxy: ['127.0.0.3/32'] } });
  try {
    for (const [url, ...clients] of [
      // Equal failures of one address are only counted.
      [site.url, '127.0.0.1', '127.0.0.2'],
      [site.writerUrl, '127.0.0.4', '127.0.0.5'],
    ] as const) {
      const claimed = url === site.url ? '203.0.113.9' : '203.0.113.10';
      const headers = { 'chancery-client-address': claimed, 'x-forwarded-for': claimed };
      for (const localAddress of clients)
        assert.equal(await failToSignIn(site, url, { localAddress, headers }), localAddress);
      // A trusted proxy tells the address behind it.
      assert.equal(await failToSignIn(site, url, { localAddress: '127.0.0.3', headers }), claimed);
    }
    const { site: writer } = site;
    assert.equal(statSync(writer.socket ?? '').mode & 0o777, 0o600);
  } finally {
    await site.stop();
  }
});

test('one Idempotency-Key has one effect in both', async () => {
  const site = await startTestSite('sqlite', { reader: true });
  try {
    const post = async (url: string) => {
      const reply = await fetch(`${url}/api/resource/Role`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': 'once',
          authorization: `token ${site.adminKey}`,
        },
        body: JSON.stringify({ role_name: 'Once' }),
      });
      return {
        replayed: reply.headers.get('idempotent-replayed'),
        body: await reply.text(),
        status: reply.status,
      };
    };
    const first = await post(site.url);
    assert.deepEqual([first.status, first.replayed], [200, null]);
    for (const url of [site.writerUrl, site.url]) {
      assert.deepEqual(await post(url), { ...first, replayed: 'true' });
    }
  } finally {
    await site.stop();
  }
});

test('a client that goes away frees what it took in the writer', async () => {
  const site = await startTestSite('sqlite', { reader: true });
  try {
    const token = `token ${site.adminKey}`;
    const open = () => listen(site.url, 'doctype=Role', token);
    const streams = await Promise.all(Array.from({ length: 32 }, open));
    const more = () => site.request('GET', '/api/events?doctype=Role', { headers: { accept: '*/*' } });
    assert.equal((await more()).status, 429);
    for (const stream of streams) await stream.close();
    const again = await until(() => open().catch(() => null));
    await again?.close();
  } finally {
    await site.stop();
  }
});

test('a file of 320 MB passes through a reader in less than half of its size of memory', {
  skip: residentBytes(process.pid) === null && 'this system does not tell the memory of a process',
}, async () => {
  const maxBytes = 320 * 1024 * 1024;
  const uploads = { ...DEFAULT_CONFIG.uploads, maxBytes };
  const site = await startTestSite('sqlite', { reader: true, config: { uploads } });
  try {
    const upload = (bytes: number) =>
      post(`${site.url}/api/method/upload_file`, `token ${site.adminKey}`, formOf(bytes));
    // The first megabytes leave garbage whatever the servers do.
    await upload(maxBytes / 8);
    const grown = await growthDuring(process.pid, () => upload(maxBytes));
    assert.ok(grown < maxBytes / 2, `the upload took ${grown} bytes`);
  } finally {
    await site.stop();
  }
});

test('the writer refuses a request before a byte of its body arrives', async () => {
  const site = await startTestSite('sqlite', { reader: true });
  try {
    const refused = Promise.withResolvers<number | undefined>();
    const headers = { authorization: 'token wrong:wrong', 'content-length': '10' };
    const asked = send(`${site.url}/api/resource/Role`, { method: 'POST', headers }, (reply) =>
      refused.resolve(reply.statusCode),
    );
    asked.on('error', refused.reject);
    asked.flushHeaders();
    assert.equal(await inTheEnd(() => refused.promise, 'the refusal'), 401);
    asked.destroy();
  } finally {
    await site.stop();
  }
});

test('without a writer, reads are answered, and writes are refused', async () => {
  const site = await startTestSite('sqlite', { reader: true, config: { logRequests: true } });
  try {
    await site.stopWriter();
    assert.equal((await site.request('GET', '/api/resource/Role/Guest')).status, 200);
    const { status, headers, text } = await site.request('POST', '/api/resource/Role', {
      body: { role_name: 'R' },
    });
    assert.equal(status, 503);
    assert.match(text, /The server is restarting, please try again/);
    assert.equal(headers.get('retry-after'), '1');
    const id = headers.get('x-request-id');
    // The writer logs only what it answers.
    await until(() =>
      site.observed.find((one) => one.kind === 'request' && one.id === id && one.status === 503),
    );
  } finally {
    await site.stop();
  }
});

test('a request that announces trailers is forwarded without them', async () => {
  const site = await startTestSite('sqlite', { reader: true });
  try {
    const { status } = await site.request('POST', '/api/resource/Role', {
      headers: { trailer: 'X-Checksum' },
      body: { role_name: 'R' },
    });
    assert.equal(status, 200);
  } finally {
    await site.stop();
  }
});

test('by GET, no address of documents changes anything', () => {
  for (const { v1, v2 } of DOCUMENT_ADDRESSES) {
    for (const { verbs, operation } of [...v1, ...v2]) {
      if (verbs.includes('GET')) assert.ok(onlyReads(operation, 'GET'), operation.name);
    }
  }
});

test('a read after a refresh sees what another process has committed, in the same turn', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-refresh-'));
  const path = join(folder, 'test.db');
  const writer = await openDatabase(`sqlite:${path}`);
  await writer.transaction((db) => db.run(sql`create table t (n integer)`));
  const other = new DatabaseSync(path);
  const { reader, refresh, close } = await openDatabase(`sqlite:${path}`, { seldomWrites: true });
  try {
    const count = async () => (await reader.get(sql`select count(*) as n from t`))?.['n'];
    const seen = [await count(), await count()];
    other.exec('insert into t values (1)');
    seen.push(await count());
    refresh?.();
    seen.push(await count());
    assert.deepEqual(seen, [0, 0, 0, 1]);
  } finally {
    other.close();
    await close();
    await writer.close();
    await rm(folder, { recursive: true });
  }
});
