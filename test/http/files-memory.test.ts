/** A large file passes through a real server without staying in its memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drain, formOf, leastGrowth, post, residentBytes } from '../support/big-upload.ts';
import { startServerProcess } from '../support/server-process.ts';

const MEGABYTE = 1024 * 1024;
const LARGE = 200 * MEGABYTE;
const ENOUGH = 30 * MEGABYTE;
const KEY = 'memory-key:memory-secret-0123456789';
const NO_FIGURES = residentBytes(process.pid) === null && 'this system does not tell the memory of a process';

test('200 MB up and down take less than 30 MB of memory', { skip: NO_FIGURES }, async () => {
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
    // Some tens of megabytes of garbage come and stay with the first hundred, whatever the server does: from then on
    // memory must not depend on the size of a file.
    await drain(address(await upload(LARGE / 2)), token);
    let url = '';
    const up = await leastGrowth(pid, ENOUGH, async () => {
      url = address(await upload(LARGE));
    });
    assert.ok(up < ENOUGH, `the upload took ${Math.round(up / MEGABYTE)} MB`);
    let bytes = 0;
    const down = await leastGrowth(pid, ENOUGH, async () => {
      bytes = await drain(url, token);
    });
    assert.equal(bytes, LARGE);
    assert.ok(down < ENOUGH, `the download took ${Math.round(down / MEGABYTE)} MB`);
  } finally {
    await server.end('SIGTERM');
    await rm(data, { recursive: true, force: true });
  }
});
