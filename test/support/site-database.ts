import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { formatTimestamp, systemClock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { defineApps } from '../../src/site/schema/definitions/define-apps.ts';
import { syncDoctypes } from '../../src/site/schema/migration/sync-doctypes.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { asPostgresAdmin, type Engine, freshDatabaseUrl, postgresUrl, urlOfSite } from './postgres.ts';

/** The database of a test site. */
export interface SiteDatabase {
  /** Null: the file in the data folder. */
  readonly url: string | null;
  drop(): Promise<void>;
}

/**
 * A database for a site whose data folder is `data`, with the tables of the standard doctypes and nothing
 * else in it. It is a copy of a template, which is made once per run: making these tables takes longer than
 * most tests.
 */
export async function siteDatabase(engine: Engine, data: string): Promise<SiteDatabase> {
  if (engine === 'sqlite') {
    sqliteTemplate ??= makeSqliteTemplate();
    await copyFile(await sqliteTemplate, join(data, 'chancery.db'));
    return { url: null, drop: async () => {} };
  }
  // Nobody would remove the template from a server that is not ours, unless `npm test` runs.
  if (process.env['CHANCERY_TEST_POSTGRES'] && !process.env[FOLDER]) return freshDatabaseUrl(engine);
  postgresTemplate ??= makePostgresTemplate();
  const template = await postgresTemplate;
  const name = basename(data).toLowerCase();
  await asPostgresAdmin((client) => client.query(`create database "${name}" template "${template}"`));
  return {
    url: await urlOfSite(await databaseUrl(name)),
    drop: () => asPostgresAdmin((client) => client.query(`drop database if exists "${name}" with (force)`)),
  };
}

/**
 * The variable with which `npm test` names a folder of this run, whose name is also that of the template in
 * PostgreSQL.
 */
const FOLDER = 'CHANCERY_TEST_TEMPLATES';

let ownFolder: string | null = null;
let sqliteTemplate: Promise<string> | null = null;
let postgresTemplate: Promise<string> | null = null;

function folder(): string {
  const given = process.env[FOLDER];
  if (given) return given;
  if (ownFolder === null) {
    const made = mkdtempSync(join(tmpdir(), 'chancery-templates-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    ownFolder = made;
  }
  return ownFolder;
}

// Files that start together may each make one; whoever is last replaces it by the same.
async function makeSqliteTemplate(): Promise<string> {
  const path = join(folder(), 'template.db');
  if (await stat(path).catch(() => null)) return path;
  const draft = join(folder(), `draft-${process.pid}.db`);
  await makeTables(`sqlite:${draft}`);
  await rename(draft, path);
  return path;
}

async function makePostgresTemplate(): Promise<string> {
  const name = basename(folder()).toLowerCase();
  await asPostgresAdmin(async (client) => {
    // Test files that start together wait here for the first. The lock goes with the connection.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists "${draft}"`);
    await client.query(`create database "${draft}"`);
    await makeTables(await databaseUrl(draft));
    await client.query(`alter database "${draft}" rename to "${name}"`);
  });
  return name;
}

/** The part of a first start that takes long. What differs from site to site, keys and users, is left to each. */
async function makeTables(url: string): Promise<void> {
  const random = systemRandom();
  const config = { ...DEFAULT_CONFIG, data: folder() };
  // As long as a server may take for its first start.
  const openPatiently = () => openDatabase(url, { transactionTimeout: LIMITS.migrationTimeout });
  const database = await openPatiently();
  try {
    await migrateSystemTables(database, SYSTEM_STEPS);
    const storage = await openStorage(filesPlaceOf(config), random);
    const { defined, meta } = await defineApps(config, storage, []);
    const stamp = { now: formatTimestamp(systemClock().micros(), config.timeZone), random };
    await syncDoctypes({ database, openPatiently, apps: defined, meta, stamp, observe: () => {} });
  } finally {
    await database.close();
  }
}

async function databaseUrl(name: string): Promise<string> {
  const url = new URL(await postgresUrl());
  url.pathname = name;
  return url.href;
}
