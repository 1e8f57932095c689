/** A large file passes through a real server without staying in its memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drain, formOf, growthDuring, post, residentBytes } from '../support/big-upload.ts';
import { startServerProcess } from '../support/server-process.ts';

const MEGABYTE = 1024 * 1024;
const LARGE = 320 * MEGABYTE;
/** Several times the garbage that comes and goes, and half of what a server that keeps the file would take. */
const ENOUGH = LARGE / 2;
const KEY = 'memory-key:memory-secret-0123456789';
const NO_FIGURES = residentBytes(process.pid) === null && 'this system does not tell the memory of a process';

test('a file of 320 MB goes up and down in less than half of its size of memory', {
  skip: NO_FIGURES,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'chancery-memory-'));
  const server = await startServerProcess(['--data', data], {
    env: { CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_UPLOADS_MAX_BYTES: String(LARGE) },
  });
  try {
    const { pid = 0 } = server.child;
    const token = `token ${KEY}`;
    const upload = (bytes: number) =>
      post(`${server.url}/api/method/upload_file`, token, formOf(bytes, { is_private: '1' }));
    const address = (reply: string) => server.url + JSON.parse(reply).message.file_url;
    // The first megabytes leave garbage whatever the server does.
    await drain(address(await upload(LARGE / 8)), token);
    let url = '';
    const up = await growthDuring(pid, async () => {
      url = address(await upload(LARGE));
    });
    assert.ok(up < ENOUGH, `the upload took ${Math.round(up / MEGABYTE)} MB`);
    let bytes = 0;
    const down = await growthDuring(pid, async () => {
      bytes = await drain(url, token);
    });
    assert.equal(bytes, LARGE);
    assert.ok(down < ENOUGH, `the download took ${Math.round(down / MEGABYTE)} MB`);
  } finally {
    await server.end('SIGTERM');
    await rm(data, { recursive: true, force: true });
  }
});
