/**
 * Errors that nobody caught: a file handle that the garbage collector closed is reported, all others end the
 * server.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const KEY = 'admin:admin-secret-0123456789';

/** An app that forgets an open file, runs the garbage collector, and throws where nobody catches. */
const APP = `
import { open } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineApp, defineMethod } from 'chancery';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const method = (run) => defineMethod({ http: ['POST'], run: async () => run() });
export default defineApp({
  name: 'careless',
  methods: {
    forget: method(async () => { await open(new URL(import.meta.url)); }),
    collect: method(() => { collect(); }),
    fail: method(() => { setImmediate(() => { throw new Error('nobody catches this'); }); }),
  },
});
`;

test('the server logs a forgotten file handle and continues; another error ends it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-stray-'));
  await writeFile(join(folder, 'app.ts'), APP);
  const server = await startServerProcess(['--data', join(folder, 'data'), '--apps', folder], {
    env: { CHANCERY_ADMIN_API_KEY: KEY },
  });
  try {
    const call = async (method: string) => {
      const headers = { authorization: `token ${KEY}` };
      const reply = await fetch(`${server.url}/api/method/${method}`, { method: 'POST', headers });
      assert.equal(reply.status, 200, await reply.text());
    };
    const unexpected = async () => {
      const reply = await fetch(`${server.url}/metrics`, { headers: { authorization: `token ${KEY}` } });
      return Number(/^chancery_unexpected_errors_total (\d+)$/m.exec(await reply.text())?.[1]);
    };
    assert.equal(await unexpected(), 0);
    await call('forget');
    await until(async () => {
      await call('collect');
      return (await unexpected()) > 0;
    });
    assert.equal(await unexpected(), 1);

    await call('fail');
    const { code, stderr } = await server.finished;
    assert.equal(code, 1);
    assert.match(stderr, /FileHandle object was closed during garbage collection/);
    assert.match(stderr, /nobody catches this/);
  } finally {
    await server.end('SIGKILL');
    await rm(folder, { recursive: true });
  }
});
