/**
 * The disk of the database is full: changes are 507, the node says so and where, reads go on, and it heals by
 * itself.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, mock, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Handle } from '../../src/db/sqlite/handle.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { OutOfSpace } from '../../src/kernel/out-of-space.ts';
import { notes } from '../support/notes/app.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const FULL = 13;
const KEY = 'full-key:full-secret-0123456789';

afterEach(() => mock.restoreAll());

async function startSite(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<TestSite> {
  const site = await startTestSite(engine, { apps: [notes] });
  t.after(() => site.stop());
  return site;
}

function create(site: TestSite, name: string) {
  return site.request('POST', '/api/resource/Note', { body: { name, title: name } });
}

async function untilReady(ready: () => Promise<number>): Promise<void> {
  while ((await ready()) !== 200) await sleep(50);
}

async function saysFull(site: TestSite): Promise<void> {
  const ready = await site.request('GET', '/ready');
  assertEnvelope(ready, 'ServiceUnavailableError');
  assert.match(ready.text, /No space is left for the database/);
  assert.deepEqual((await site.request('GET', '/health')).body, {
    status: 'degraded',
    problems: ['no space is left for the database'],
  });
}

async function heals(site: TestSite): Promise<void> {
  await untilReady(async () => (await site.request('GET', '/ready')).status);
  assert.deepEqual((await site.request('GET', '/health')).body, { status: 'ok' });
  const told = site.observed.filter(({ kind }) => kind === 'disk_full' || kind === 'disk_has_room');
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['disk_full', 'disk_has_room'],
  );
}

test('on SQLite a commit without space gives 507, and the server recovers', async (t) => {
  const site = await startSite(t, 'sqlite');
  assert.equal((await create(site, 'kept')).status, 200);
  const original = Handle.prototype.exec;
  let isFull = true;
  mock.method(Handle.prototype, 'exec', function (this: Handle, text: string) {
    if (isFull && text === 'commit')
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: FULL });
    return original.call(this, text);
  });
  for (const name of ['a', 'b']) {
    const refused = await create(site, name);
    assertEnvelope(refused, 'InsufficientStorageError');
    assert.equal(refused.headers.get('retry-after'), '30');
  }
  await saysFull(site);
  assert.equal((await site.request('GET', '/api/resource/Note/kept')).status, 200);
  isFull = false;
  await heals(site);
  assert.equal((await create(site, 'a')).status, 200);
});

test('on PostgreSQL a change without space is refused, and the server recovers', async (t) => {
  const site = await startSite(t, 'postgres');
  const text = "do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$";
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const change = site.site.database.transaction((connection) => connection.run({ text, values: [] }));
    await assert.rejects(change, OutOfSpace);
  }
  await saysFull(site);
  await heals(site);
  assert.equal((await create(site, 'a')).status, 200);
});

/** A file system of so many megabytes; null where this machine allows none. */
function smallDisk(t: TestContext, megabytes = 8): string | null {
  const place = mkdtempSync(join(tmpdir(), 'chancery-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place], { stdio: 'ignore' });
  } catch {
    rmSync(place, { recursive: true });
    return null;
  }
  t.after(() => {
    execFileSync('umount', ['--lazy', place]);
    rmSync(place, { recursive: true });
  });
  return place;
}

/** Takes what is free but for so many bytes; returns how to give it back. */
function fill(place: string, leaving: number): () => void {
  const { bavail, bsize } = statfsSync(place);
  const path = join(place, 'filler');
  writeFileSync(path, Buffer.alloc(bavail * bsize - leaving));
  return () => rmSync(path);
}

test('on a full disk the log names the data directory, and changes work once there is space', async (t) => {
  const place = smallDisk(t);
  if (place === null) return t.skip('cannot mount a tmpfs');
  const data = join(place, 'data');
  const env = { CHANCERY_ADMIN_API_KEY: KEY };
  const server = await startServerProcess(['--data', data, '--apps='], { env, deadline: 120_000 });
  t.after(() => server.end('SIGKILL'));
  const headers = { authorization: `token ${KEY}`, 'content-type': 'application/json' };
  const create = (name: string) =>
    fetch(`${server.url}/api/resource/Role`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ role_name: name, desk_access: 1 }),
    });
  assert.equal((await create('First')).status, 200);
  const makeRoom = fill(place, 0);
  let status = 200;
  for (let attempt = 0; status === 200 && attempt < 500; attempt += 1)
    ({ status } = await create(`Role ${attempt}`));
  assert.equal(status, 507);
  assert.equal((await fetch(`${server.url}/ready`)).status, 503);
  // Longer than between two looks: it is still full.
  await sleep(2_500);
  assert.equal((await fetch(`${server.url}/ready`)).status, 503);
  assert.equal((await fetch(`${server.url}/api/resource/Role/First`, { headers })).status, 200);
  const told = server.errors().match(/No space is left for the database in (\S+) \(\d+ KB are free\)/g);
  assert.deepEqual(told, [`No space is left for the database in ${data} (0 KB are free)`]);
  makeRoom();
  await untilReady(async () => (await fetch(`${server.url}/ready`)).status);
  assert.equal((await create('Last')).status, 200);
  assert.equal((await server.end('SIGTERM')).code, 0);
});

test('on a full disk deletions and sign-ins use the reserve, which comes back once there is space', async (t) => {
  const place = smallDisk(t, 64);
  if (place === null) return t.skip('cannot mount a tmpfs');
  const data = join(place, 'data');
  const reserve = join(data, 'chancery.db-reserve');
  mkdirSync(data);
  // A server makes it only some time after its start.
  writeFileSync(reserve, Buffer.alloc(LIMITS.spaceReserve));
  const password = 'a long enough Passphrase 7';
  const env = { CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_ADMIN_PASSWORD: password };
  const server = await startServerProcess(['--data', data, '--apps='], { env, deadline: 120_000 });
  t.after(() => server.end('SIGKILL'));
  const headers = { authorization: `token ${KEY}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? null : JSON.stringify(body);
    return (await fetch(server.url + path, { method, headers, body: text })).status;
  };
  const create = (name: string) => ask('POST', '/api/resource/Role', { role_name: name, desk_access: 1 });
  const content = randomBytes(4_000_000).toString('base64');
  const upload = { doctype: 'File', file_name: 'large.bin', content, decode: 1, is_private: 1 };
  const file = await fetch(`${server.url}/api/resource/File`, {
    method: 'POST',
    headers,
    body: JSON.stringify(upload),
  });
  const { data: large } = (await file.json()) as { data: { name: string } };
  assert.equal(await create('First'), 200);

  const makeRoom = fill(place, 0);
  let status = 200;
  for (let attempt = 0; status === 200 && attempt < 500; attempt += 1)
    status = await create(`Role ${attempt}`);
  assert.equal(status, 507);
  assert.ok(!existsSync(reserve), 'the reserve takes space');
  // There is room, but not for this.
  assert.equal(await create('Refused'), 507);
  assert.equal(await ask('PUT', '/api/resource/Role/First', { disabled: 1 }), 507);
  assert.equal(await ask('POST', '/api/method/login', { usr: 'Administrator', pwd: password }), 200);
  assert.equal(await ask('DELETE', '/api/resource/Role/First'), 202);
  const { bavail: before } = statfsSync(place);
  assert.equal(await ask('DELETE', `/api/resource/File/${large.name}`), 202);
  while (statfsSync(place).bavail - before < 900) await sleep(50);
  assert.equal(await ask('GET', '/ready'), 503);

  makeRoom();
  await untilReady(() => ask('GET', '/ready'));
  assert.equal(statSync(reserve).size, LIMITS.spaceReserve);
  assert.equal(await create('First'), 200);
});

test('a first start on a full disk names the directory without space', async (t) => {
  const place = smallDisk(t);
  if (place === null) return t.skip('cannot mount a tmpfs');
  for (const leaving of [0, 64 * 1024, 512 * 1024]) {
    const data = join(place, `data-${leaving}`);
    const makeRoom = fill(place, leaving);
    const done = await spawnChancery(['serve', '--port', '0', '--data', data, '--apps=']).finished;
    makeRoom();
    assert.equal(done.code, 1, done.stderr);
    assert.ok(done.stderr.includes(dirname(data)), done.stderr);
    assert.match(done.stderr, /space|full/i);
    assert.doesNotMatch(done.stderr, /^ {4}at /m);
    rmSync(data, { recursive: true, force: true });
  }
});
