/** The server is killed while it stores and deletes files: what it acknowledged is there, and nothing is left over. */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { diskStorage } from '../../src/file/disk-storage.ts';
import { engineOf } from '../support/describe-site.ts';
import { type ServerProcess, spawnChancery, startServerProcess } from '../support/server-process.ts';

import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const ROUNDS = 4;
const CLIENTS = 8;
/** From files that arrive in one piece to files that are cut in the middle. */
const SIZES = [0, 1_000, 100_000, 1_000_000, 4_000_000];
const SHARED = randomBytes(50_000);
const KEY = 'crash-key:crash-secret-0123456789';
const AS = { authorization: `token ${KEY}` };

for (const engine of engineOf('files')) {
  test(`kill -9 during uploads, changes of privacy and deletes loses no file on ${engine}`, async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-crash-'));
    const database = await siteDatabase(engine, data);
    const argv = ['--data', data, ...(database.url ? ['--database', database.url] : [])];
    const start = () => startServerProcess(argv, { env: { CHANCERY_ADMIN_API_KEY: KEY } });
    /** By File name: the digest of what was acknowledged. */
    const acked = new Map<string, string>();
    /** Deletes that were asked for: done or not, both are right. */
    const deleting = new Set<string>();
    let cut = 0;
    let server = await start();
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = acked.size;
        const work = Array.from({ length: CLIENTS }, (_, client) => uploadUntilCut(server, client + round));
        // Killed by what happened and not by the clock: each round after some more acknowledgements.
        await until(
          () => acked.size,
          (size) => size >= before + 3 + 4 * round,
        );
        await server.end('SIGKILL');
        await Promise.all(work);
        if (database.url) await makeOld(database.url, join(data, 'files'));
        server = await start();
        await verify(server);
      }
      assert.ok(cut >= ROUNDS, `only ${cut} uploads were cut`);
      await server.end('SIGTERM');
      const check = await spawnChancery(['files', 'check', ...argv]).finished;
      assert.deepEqual([check.code, check.stderr], [0, '']);
      assert.match(check.stdout, /^(In quarantine: .*\n)?\d+ objects with \d+ bytes checked, 0 problems\n$/);
    } finally {
      await server.end('SIGKILL');
      await rm(data, { recursive: true, force: true });
      await database.drop();
    }

    async function uploadUntilCut(to: ServerProcess, seed: number): Promise<void> {
      try {
        for (let turn = seed; ; turn += 1) {
          // Some upload and delete the same bytes.
          const bytes = turn % 4 === 0 ? SHARED : randomBytes(SIZES[turn % SIZES.length] ?? 0);
          const form = new FormData();
          form.set('file', new Blob([bytes]), 'crash.bin');
          form.set('is_private', String(turn % 2));
          const reply = await fetch(`${to.url}/api/method/upload_file`, {
            method: 'POST',
            headers: AS,
            body: form,
          });
          const { message } = (await reply.json()) as { message: { name: string } };
          assert.equal(reply.status, 200);
          acked.set(message.name, digest(bytes));
          const url = `${to.url}/api/resource/File/${message.name}`;
          if (turn % 5 === 1) {
            const body = JSON.stringify({ is_private: 1 - (turn % 2) });
            const headers = { ...AS, 'content-type': 'application/json' };
            await fetch(url, { method: 'PUT', headers, body });
          }
          if (turn % 3 !== 0) continue;
          deleting.add(message.name);
          await fetch(url, { method: 'DELETE', headers: AS });
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        cut += 1;
      }
    }

    async function verify(on: ServerProcess): Promise<void> {
      const query = new URLSearchParams({
        fields: '["name","file_url","content_hash","is_private"]',
        filters: '[["is_folder","=",0]]',
        limit_page_length: '0',
      });
      const reply = await fetch(`${on.url}/api/resource/File?${query}`, { headers: AS });
      const { data: files } = (await reply.json()) as {
        data: { name: string; file_url: string; content_hash: string; is_private: number }[];
      };
      for (const file of files) {
        const response = await fetch(on.url + file.file_url, { headers: AS });
        assert.equal(response.status, 200, `${file.file_url} has no bytes`);
        const found = digest(Buffer.from(await response.arrayBuffer()));
        assert.equal(found, file.content_hash);
        assert.equal(found, acked.get(file.name) ?? found);
      }
      const names = new Set(files.map((file) => file.name));
      for (const name of acked.keys()) assert.ok(names.has(name) || deleting.has(name), `${name} is lost`);
      // The same bytes are kept once for all that are private, and once for all others.
      await leftoversGone(new Set(files.map((file) => `${file.content_hash} ${file.is_private}`)).size);
    }

    async function leftoversGone(expected: number): Promise<void> {
      const count = async () => {
        let objects = 0;
        for await (const _ of diskStorage(join(data, 'files')).list()) objects += 1;
        assert.ok(objects >= expected, `${objects} objects for ${expected} files`);
        return objects;
      };
      await until(count, (objects) => objects === expected);
    }
  });
}

/** Lets the time pass that a process takes to be known as dead to others on its database. */
async function makeOld(url: string, folder: string): Promise<void> {
  const database = await openDatabase(url);
  await database.transaction((db) => db.run(sql`update _storage_writer set seen_at = seen_at - 120000`));
  await database.close();
  const past = new Date(Date.now() - 120_000);
  for await (const { key } of diskStorage(folder).list()) await utimes(join(folder, key), past, past);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
