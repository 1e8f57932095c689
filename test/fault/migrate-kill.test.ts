/** A migration of a large table killed again and again: nothing stored is lost, and the next one finishes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Connection } from '../../src/db/database.ts';
import { describeTable } from '../../src/db/describe.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { loadApp } from '../../src/site/schema/apps/load-app.ts';
import { insertRows } from '../../src/site/schema/definitions/raw-rows.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { writeApp } from '../support/app-folder.ts';
import { engineOf } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-migrate-kill-'));
after(() => rmSync(root, { recursive: true, force: true }));

const ROWS = 40_000;
const PORTION = 2_000;
const KEY = 'admin-key:admin-secret-0123456789';
const SECRET = Buffer.alloc(32, 7).toString('base64');

const song = (...fields: object[]) => ({
  name: 'Song',
  module: 'Music',
  fields,
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
});
const BEFORE = song({ fieldname: 'title', fieldtype: 'Data' }, { fieldname: 'length', fieldtype: 'Int' });
const AFTERWARDS = song(
  { fieldname: 'title', fieldtype: 'Data', search_index: 1 },
  { fieldname: 'length', fieldtype: 'Float', search_index: 1 },
  { fieldname: 'mood', fieldtype: 'Data', search_index: 1 },
  { fieldname: 'singer', fieldtype: 'Link', options: 'User' },
);

for (const engine of engineOf('migrations')) {
  test(`on ${engine} the next migration finishes a killed one`, async () => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const folder = join(root, engine);
    const data = join(folder, 'data');
    const app = writeApp(join(folder, 'app'), 'music', [BEFORE]);
    const config = { ...DEFAULT_CONFIG, data, database: url, secretKey: SECRET, adminApiKey: KEY };
    const site = await openSite(config, { apps: [await loadApp(app, root)] });
    const stamp = { now: '2026-01-01 00:00:00.000000', random: site.random };
    const rows = Array.from({ length: ROWS }, (_, index) => ({
      name: `song-${index}`,
      title: `Title ${index % 977}`,
      length: index,
    }));
    // In portions: beside much other work, all of them in one transaction would exceed its time.
    for (let from = 0; from < ROWS; from += PORTION) {
      const portion = rows.slice(from, from + PORTION);
      await site.database.transaction((connection) =>
        insertRows(connection, site.doctypes.get('Song'), portion, stamp),
      );
    }
    await site.close();

    writeApp(app, 'music', [AFTERWARDS]);
    const env = { CHANCERY_SECRET_KEY: SECRET, CHANCERY_ADMIN_API_KEY: KEY };
    const argv = ['--data', data, '--database', url, '--apps', app];
    let kills = 0;
    for (let finished = false; !finished && kills < 4; ) {
      const migration = spawnChancery(['migrate', ...argv], { env });
      // The first lines come from inside the transaction, each later one after an index.
      await Promise.race([untilLines(migration, 1 + (kills % 4)), migration.finished]);
      await setTimeout(kills % 3);
      const { code, stderr } = await migration.end('SIGKILL');
      finished = code === 0;
      if (!finished) {
        assert.equal(code, null, stderr);
        kills += 1;
        await assertWhole(url);
      }
    }
    assert.ok(kills > 0, 'no migration was killed in the middle');

    // A start finishes what is left, and serves.
    const server = await startServerProcess(argv, { env });
    const headers = { authorization: `token ${KEY}` };
    const reply = await fetch(`${server.url}/api/resource/Song/song-7`, { headers });
    const { length, title } = ((await reply.json()) as { data: { length: number; title: string } }).data;
    assert.deepEqual([length, title], [7, 'Title 7']);
    await server.end('SIGTERM');
    await assertWhole(url);
    const database = await openDatabase(url);
    const table = await describeTable(database.reader, 'Song');
    const pending = await database.reader.all(
      sql`select "key" from "_setting" where "key" = 'indexes_pending'`,
    );
    await database.close();
    const indexed = new Set(table?.indexes.map(({ columns }) => columns[0]));
    for (const column of ['title', 'length', 'mood', 'singer']) assert.ok(indexed.has(column), column);
    assert.equal(table?.columns.find(({ name }) => name === 'length')?.kind, 'real');
    assert.deepEqual(pending, []);
    const rest = await spawnChancery(['migrate', '--plan', ...argv], { env }).finished;
    assert.equal(rest.stdout, 'Everything is up to date.\n');
    await drop();
  });
}

async function untilLines(migration: ReturnType<typeof spawnChancery>, lines: number): Promise<void> {
  while (migration.output().split('\n').length <= lines && migration.child.exitCode === null) {
    await setTimeout(1);
  }
}

async function assertWhole(url: string): Promise<void> {
  const database = await openDatabase(url);
  const look = (connection: Connection) =>
    connection.get(sql`select count(*) as "count", sum("length") as "sum" from "Song"`);
  const found = await look(database.reader);
  await database.close();
  assert.deepEqual([Number(found?.['count']), Number(found?.['sum'])], [ROWS, (ROWS * (ROWS - 1)) / 2]);
}
