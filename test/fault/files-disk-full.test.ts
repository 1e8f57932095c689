/**
 * The disk under the files is full: uploads are 507 and leave nothing, everything else works, and so do they
 * once there is room.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { diskStorage } from '../../src/file/disk-storage.ts';
import { startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const KEY = 'full-key:full-secret-0123456789';
const AS = { authorization: `token ${KEY}` };
const MEGABYTE = 1024 * 1024;

/** False when this machine has no such program, or does not allow it. */
function runs(program: string, ...argv: string[]): boolean {
  try {
    execFileSync(program, argv, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function serverAt(t: TestContext, files: string, data: string) {
  const server = await startServerProcess(['--data', data, '--files', files], {
    env: { CHANCERY_ADMIN_API_KEY: KEY },
  });
  t.after(async () => {
    await server.end('SIGKILL');
    // Nothing may hold the place when it goes; most of the time it is a directory like others.
    runs('umount', files);
    await rm(join(files, '..'), { recursive: true, force: true });
  });
  return {
    server,
    async upload(bytes: number): Promise<{ status: number; name: string; type: string }> {
      const form = new FormData();
      form.set('file', new Blob([randomBytes(bytes)]), 'full.bin');
      const reply = await fetch(`${server.url}/api/method/upload_file`, {
        method: 'POST',
        headers: AS,
        body: form,
      });
      const body = (await reply.json()) as { message?: { name: string }; exc_type?: string };
      return { status: reply.status, name: body.message?.name ?? '', type: body.exc_type ?? '' };
    },
    async documentsWork(): Promise<void> {
      const headers = { ...AS, 'content-type': 'application/json' };
      const body = JSON.stringify({ role_name: 'Made while the disk is full' });
      const made = await fetch(`${server.url}/api/resource/Role`, { method: 'POST', headers, body });
      assert.equal(made.status, 200, await made.text());
      const ready = await fetch(`${server.url}/ready`);
      assert.equal(ready.status, 200);
    },
    async objects(): Promise<string[]> {
      const keys: string[] = [];
      for await (const { key } of diskStorage(files).list()) keys.push(key);
      return keys;
    },
  };
}

async function folders(): Promise<{ data: string; files: string }> {
  const root = await mkdtemp(join(tmpdir(), 'chancery-full-'));
  const files = join(root, 'files');
  await mkdir(files);
  return { data: join(root, 'data'), files };
}

test('an upload to a full file system gives 507 and leaves nothing', async (t) => {
  const { data, files } = await folders();
  if (!runs('mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', files)) {
    await rm(join(files, '..'), { recursive: true, force: true });
    return t.skip('cannot mount a tmpfs');
  }
  const { server, upload, documentsWork, objects } = await serverAt(t, files, data);
  const first = await upload(3 * MEGABYTE);
  assert.equal((await upload(3 * MEGABYTE)).status, 200);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = await upload(3 * MEGABYTE);
    assert.deepEqual([refused.status, refused.type], [507, 'InsufficientStorageError']);
    assert.equal((await objects()).length, 2);
    const health = (await (await fetch(`${server.url}/health`)).json()) as { problems?: string[] };
    assert.deepEqual(health.problems, ['no space is left for the files']);
  }
  // Short forms are written at once, the last one in part.
  let small = 0;
  let last = await upload(150_000);
  for (; last.status === 200; last = await upload(150_000)) small += 1;
  assert.deepEqual([last.status, last.type], [507, 'InsufficientStorageError']);
  assert.ok(small > 0, 'no small file fits');
  assert.equal((await objects()).length, 2 + small);
  await documentsWork();
  const url = `${server.url}/api/resource/File/${first.name}`;
  assert.equal((await fetch(url, { method: 'DELETE', headers: AS })).status, 202);
  // The bytes go right after the answer.
  await until(objects, ({ length }) => length <= 1 + small);
  assert.equal((await upload(3 * MEGABYTE)).status, 200);
});

test('an upload beyond the file size limit of the process gives 507 and leaves nothing', async (t) => {
  const { data, files } = await folders();
  const { server, upload, documentsWork, objects } = await serverAt(t, files, data);
  const limit = (value: string) => runs('prlimit', '--pid', String(server.child.pid), `--fsize=${value}:`);
  // The database and its log stay far below.
  if (!limit(String(16 * MEGABYTE))) return t.skip('there is no prlimit');
  const refused = await upload(20 * MEGABYTE);
  assert.deepEqual([refused.status, refused.type], [507, 'InsufficientStorageError']);
  assert.deepEqual(await objects(), []);
  await documentsWork();
  assert.ok(limit('unlimited'));
  assert.equal((await upload(20 * MEGABYTE)).status, 200);
});
