/**
 * Stored files and the database are no longer those of the same site: the server says so, and no stored byte is
 * lost.
 */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { databaseUrl } from '../../src/site/data-directory.ts';
import { examineUpgrade } from '../../src/site/doctor/examine-upgrade.ts';
import { makeKeyFile } from '../../src/site/settings/key-file.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import {
  ALL,
  adopt,
  adopted,
  emptySchema,
  examined,
  hasDatabase,
  stage,
  startStages,
  undos,
  type Where,
} from '../support/bound-site.ts';
import { dbFile, removeDatabase, SITUATIONS } from '../support/bound-situations.ts';
import { keptTexts, opened, servedText, sizeOf } from '../support/kept-files.ts';
import type { Engine } from '../support/postgres.ts';
import { NO_S3, newBucket } from '../support/s3.ts';
import { startServerProcess } from '../support/server-process.ts';
import { someOf } from '../support/some-of.ts';

const stages = startStages();

/** What `chancery upgrade --check` says of the files. */
async function problemOfUpgrade(config: Config): Promise<string> {
  const { findings } = await examineUpgrade(config, { backups: null, ownBackup: true, warnings: [] });
  return (
    findings.find(({ check, state }) => check === 'files' && state === 'problem')?.message ?? 'no problem'
  );
}

// What the engine keeps and what the bucket keeps is read by itself, so the two need not meet.
const PLACES: readonly { readonly engine: Engine; readonly where: Where; readonly skip: string | false }[] = [
  { engine: 'sqlite', where: 'in the data directory', skip: false },
  { engine: 'sqlite', where: 'in another directory', skip: false },
  { engine: 'sqlite', where: 'in a bucket', skip: NO_S3 },
  { engine: 'postgres', where: 'in another directory', skip: false },
];

for (const [turn, { engine, where, skip }] of PLACES.entries()) {
  describe(`a database on ${engine} and files ${where}`, { skip }, () => {
    const possible = SITUATIONS.filter(
      ({ only }) => (only?.engine ?? engine) === engine && (only?.where?.includes(where) ?? true),
    );
    for (const situation of someOf(possible, 3, turn)) {
      const { name, bring, refused, served = [], noAdopt, elsewhere } = situation;
      test(`${name}: ${refused ? 'the start is refused' : 'the site starts'}`, async () => {
        const made = await stage(engine, where);
        const config = await bring(made);
        if (refused) {
          const hadDatabase = await hasDatabase(config);
          await assert.rejects(openSite(config, { apps: [] }), (error) => {
            assert.ok(error instanceof StartError, String(error));
            assert.match(error.message, refused);
            assert.doesNotMatch(error.message, /testing/);
            return true;
          });
          // Not even an empty database is made, and nothing is moved.
          assert.equal(await hasDatabase(config), hadDatabase);
          if (!elsewhere) assert.deepEqual(await keptTexts(config), { inPlace: ALL, aside: [] });
          if (noAdopt) return;
          assert.match((await examined(config)) ?? 'no problem', /files/);
          if (/older|another/.test(refused.source)) assert.match(await problemOfUpgrade(config), refused);
          await adopted(config);
        }
        const texts = await opened(config, async (site) => {
          const found = [...made.urls].map(
            async ([text, url]) => [text, await servedText(site, url)] as const,
          );
          return (await Promise.all(found)).flatMap(([text, there]) => (there === text ? text : []));
        });
        assert.deepEqual(texts.sort(), served.toSorted());
        const { inPlace, aside } = await keptTexts(config);
        assert.deepEqual([...inPlace, ...aside].sort(), ALL);
        // A second start finds nothing wrong.
        await opened(config, async () => {});
        assert.equal(await examined(config), null);
      });
    }
  });
}

test('a data directory with only a key does not become a new site', async () => {
  const { config, root } = await stage('sqlite', 'in the data directory');
  const data = join(root, 'key-only');
  const fresh = { ...config, data };
  await opened(fresh, async () => {});
  for (const name of ['chancery.db', 'chancery.db-wal', 'chancery.db-shm'])
    await rm(join(data, name), { force: true });
  await rm(join(data, 'files'), { recursive: true });
  await assert.rejects(
    openSite(fresh, { apps: [] }),
    /chancery\.db is missing, but its site has left \S+secret\.key\. /,
  );
  await rm(join(data, 'secret.key'));
  await opened(fresh, async (site) => assert.ok(site.firstStart));
});

test('a killed first start is continued', async () => {
  const root = await mkdtemp(join(tmpdir(), 'chancery-bound-'));
  undos.push(() => rm(root, { recursive: true, force: true }));
  const config = { ...DEFAULT_CONFIG, apps: [], data: root };
  const database = await openDatabase(databaseUrl(config));
  await migrateSystemTables(database, SYSTEM_STEPS);
  await database.close();
  await makeKeyFile(config, systemRandom());
  await opened(config, async (site) => assert.ok(site.firstStart));
});

test('nodes that start at once on PostgreSQL agree on one mark', { skip: NO_S3 }, async () => {
  const root = await mkdtemp(join(tmpdir(), 'chancery-bound-'));
  undos.push(() => rm(root, { recursive: true, force: true }));
  const files = await newBucket(stages.s3());
  const secretKey = systemRandom().bytes(32).toString('base64');
  const database = await emptySchema();
  const config = (node: number): Config => ({
    ...DEFAULT_CONFIG,
    apps: [],
    data: join(root, String(node)),
    database,
    files,
    secretKey,
  });
  const sites = await Promise.all([0, 1, 2, 3, 4].map((node) => openSite(config(node), { apps: [] })));
  for (const site of sites) await site.close();
  await opened(config(5), async () => {});
});

test('a site starts while its own store is down', {
  skip: NO_S3,
}, async () => {
  const { config } = await stage('sqlite', 'in a bucket');
  const down = { ...config, files: String(config.files).replace(/%3A\d+$/, '%3A1') };
  await assert.rejects(openSite(down, { apps: [] }), /not available/);
  const database = await openDatabase(databaseUrl(config));
  await database.transaction((db) =>
    db.run(
      sql`update _setting set value = replace(value, ${new URL(stages.s3().endpoint).port}, '1') where key = 'files_bound'`,
    ),
  );
  await database.close();
  await opened(down, async (site) => assert.equal(await site.storage.readMark().catch(() => 'down'), 'down'));
});

test('files adopt asks for confirmation, and without a terminal requires --yes', async () => {
  const made = await stage('sqlite', 'in another directory');
  const config = await (SITUATIONS.find(({ name }) => name.startsWith('a copy of the site'))?.bring(made) ??
    assert.fail('no such situation'));
  await assert.rejects(adopt(config, {}), /Add --yes/);
  await assert.rejects(openSite(config, { apps: [] }), StartError);
  const lines = await adopted(config);
  assert.match(lines.join('\n'), /bound to another copy of this database.*\n.*knows 5 and does not know 0/);
  const entry = await opened(config, ({ database }) =>
    database.reader.get(sql`select "user", credential, details from _audit where event = 'files_adopted'`),
  );
  assert.deepEqual([entry?.['user'], entry?.['credential']], ['Administrator', 'command line']);
  assert.match(String(entry?.['details']), /"from_database":"sqlite \d+ \d+".*"database":"sqlite \d+ \d+"/);
  // Nothing happens, and nothing is told, a second time.
  await adopted(config);
  const again = await opened(config, ({ database }) =>
    database.reader.all(sql`select name from _audit where event = 'files_adopted'`),
  );
  assert.equal(again.length, 1);
});

test('the refusal is one line on the terminal', async () => {
  const made = await stage('sqlite', 'in the data directory');
  await removeDatabase(made);
  await assert.rejects(
    startServerProcess(['--data', made.config.data]),
    /^Error: the server ended with 1: The database [^\n]+\n$/,
  );
  assert.equal(await sizeOf(dbFile(made)), 0);
});

test('a directory in place of the mark stops the start with a remedy', async () => {
  const data = await mkdtemp(join(tmpdir(), 'chancery-mark-'));
  undos.push(() => rm(data, { recursive: true, force: true }));
  await mkdir(join(data, 'files', 'chancery-site.json'), { recursive: true });
  await assert.rejects(openSite({ ...DEFAULT_CONFIG, data }), (error) => {
    assert.ok(error instanceof StartError, String(error));
    assert.match(error.message, /chancery-site\.json is a directory.* Move the directory away/);
    return true;
  });
});
