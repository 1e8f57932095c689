/** The server is killed while it creates: a request that is sent again with its Idempotency-Key has one effect. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const ROUNDS = 4;
const CLIENTS = 8;
const KEY = 'crash-key:crash-secret-0123456789';
const AS = { authorization: `token ${KEY}`, 'content-type': 'application/json' };

for (const engine of engineOf('idempotency')) {
  test(`after kill -9, repeated requests with a key take effect once on ${engine}`, async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-crash-'));
    const database = await siteDatabase(engine, data);
    const argv = ['--data', data, ...(database.url ? ['--database', database.url] : [])];
    const start = () => startServerProcess(argv, { env: { CHANCERY_ADMIN_API_KEY: KEY } });
    let sent = 0;
    let acked = 0;
    const cut: string[] = [];
    let server = await start();
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = acked;
        const work = Array.from({ length: CLIENTS }, () => createUntilCut(server));
        // Killed by what happened and not by the clock.
        await until(
          () => acked,
          (count) => count >= before + 5 + 7 * round,
        );
        await server.end('SIGKILL');
        await Promise.all(work);
        server = await start();
        for (const key of cut.splice(0)) assert.equal((await create(server, key)).status, 200);
      }
      const query = new URLSearchParams({ fields: '["content"]', limit_page_length: '0' });
      const reply = await fetch(`${server.url}/api/resource/Comment?${query}`, { headers: AS });
      const { data: rows } = (await reply.json()) as { data: { content: string }[] };
      const contents = rows.map((row) => row.content).sort();
      assert.deepEqual(contents, [...new Set(contents)], 'something was done twice');
      assert.equal(contents.length, sent);
    } finally {
      await server.end('SIGKILL');
      await rm(data, { recursive: true, force: true });
      await database.drop();
    }

    function create(to: ServerProcess, key: string): Promise<Response> {
      const comment = { reference_doctype: 'User', reference_name: 'Administrator', content: key };
      return fetch(`${to.url}/api/resource/Comment`, {
        method: 'POST',
        headers: { ...AS, 'idempotency-key': key },
        body: JSON.stringify({ comment_type: 'Comment', ...comment }),
      });
    }

    async function createUntilCut(to: ServerProcess): Promise<void> {
      for (;;) {
        sent += 1;
        const key = `key-${sent}`;
        try {
          const reply = await create(to, key);
          await reply.text();
          assert.equal(reply.status, 200);
          acked += 1;
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          cut.push(key);
          return;
        }
      }
    }
  });
}
