import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { describeTable } from '../../src/db/describe.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { FILES_USED } from '../../src/file/site-mark.ts';
import { MARK_NAME } from '../../src/file/storage-key.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { rebindFiles } from '../../src/site/start/bind-files.ts';
import { asPostgresAdmin, postgresUrl } from '../support/postgres.ts';
import { type KeptSite, onDatabase } from '../support/restored-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { type Fixture, unpackFixture } from './fixture.ts';
import type { Facts } from './story.ts';

/** A fixture at a place of its own, where this program can start. */
export interface Placed extends KeptSite {
  readonly facts: Facts;
  /** Starts this program some minutes after the old one stopped. */
  start(): Promise<TestSite>;
  remove(): Promise<void>;
}

/** Milliseconds from the stop of the old program to the start of this one: its retries are due. */
const LATER = 30 * 60_000;

/** Unpacks a fixture, and loads its dump. */
export async function placeFixture(fixture: Fixture): Promise<Placed> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-format-'));
  const { facts, dump } = await unpackFixture(fixture, data);
  const name = basename(data).toLowerCase();
  const url = dump === null ? null : await load(name, dump);
  if (url !== null && existsSync(join(data, 'files', MARK_NAME))) await adoptFiles(data, url);
  const clock = systemClock();
  const shift = (facts.stoppedAt + LATER - Date.now()) * 1_000;
  return {
    data,
    url,
    facts,
    start: () =>
      startTestSite(fixture.engine, {
        config: { data, database: url },
        clock: { micros: () => clock.micros() + shift },
      }),
    async remove() {
      if (url !== null)
        await asPostgresAdmin((client) => client.query(`drop database if exists "${name}" with (force)`));
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function load(name: string, dump: string): Promise<string> {
  await asPostgresAdmin((client) => client.query(`create database "${name}"`));
  const url = new URL(await postgresUrl());
  url.pathname = name;
  const client = new pg.Client({ connectionString: url.href.replace(/\?.*/, '') });
  await client.connect();
  await client.query(dump).finally(() => client.end());
  return url.href;
}

/** As `chancery files adopt` does: a dump that is loaded elsewhere is another copy of the database. */
async function adoptFiles(data: string, url: string): Promise<void> {
  const config = { ...DEFAULT_CONFIG, data, database: url };
  const place = filesPlaceOf(config);
  const storage = await openStorage(place, systemRandom());
  await onDatabase({ data, url }, (database) =>
    rebindFiles({ config, place, storage, observe: () => {} }, database),
  );
}

/** All rows of all tables, by table, without those that every start or commit changes. */
export function contentOf(placed: Placed): Promise<Readonly<Record<string, readonly unknown[]>>> {
  return onDatabase(placed, async ({ reader }) => {
    const tables = await reader.all(
      reader.dialect.name === 'sqlite'
        ? sql`select "name" from sqlite_master where type = 'table' and "name" not like 'sqlite_%' order by 1`
        : sql`select tablename as "name" from pg_tables
              where schemaname = 'public' and tablename <> '_commit' order by 1`,
    );
    const content: Record<string, readonly unknown[]> = {};
    for (const { name } of tables) {
      const { primaryKey } = (await describeTable(reader, String(name))) ?? {};
      const order = primaryKey ? sql` order by ${ident(primaryKey)}` : sql``;
      const rows = await reader.all(sql`select * from ${ident(String(name))}${order}`);
      content[String(name)] = rows.filter(({ key }) => name !== '_setting' || key !== FILES_USED);
    }
    return content;
  });
}
