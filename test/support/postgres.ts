import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { isSerializationFailure } from '../../src/db/driver-errors.ts';
import { startPostgres } from './embedded-postgres.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { inTheEnd, until } from './until.ts';

const ALL = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ALL)[number];

/** The engines that tests run on. The variable leaves some out. */
export const ENGINES = ALL.filter((engine) =>
  (process.env['CHANCERY_TEST_ENGINES'] ?? engine).includes(engine),
);

let url: Promise<string> | null = null;

/** A real PostgreSQL for tests: the one `npm test` started, else one of this process, stopped at its end. */
export function postgresUrl(): Promise<string> {
  const given = process.env['CHANCERY_TEST_POSTGRES'];
  url ??= given ? Promise.resolve(given) : startPostgres().then((server) => server.url);
  return url;
}

let pooler: Promise<PgBouncer> | null = null;

/**
 * The URL that a site of a test uses: its own, or with `CHANCERY_TEST_POOLER=1`, that through a PgBouncer in
 * transaction mode.
 */
export async function urlOfSite(direct: string): Promise<string> {
  if (process.env['CHANCERY_TEST_POOLER'] !== '1') return direct;
  pooler ??= startPgBouncer(await postgresUrl());
  return (await pooler).through(direct);
}

/** An empty database for one test file: an SQLite file in a fresh directory, or a new PostgreSQL schema. */
export async function freshDatabaseUrl(
  engine: Engine,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  if (engine === 'sqlite') {
    const directory = await mkdtemp(join(tmpdir(), 'chancery-db-'));
    return {
      url: `sqlite:${join(directory, 'test.db')}`,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  }
  const server = await postgresUrl();
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const fresh = new URL(server);
  fresh.searchParams.set('schema', schema);
  return {
    url: await urlOfSite(fresh.href),
    async drop() {
      await asPostgresAdmin(async (client) => {
        await client.query('set client_min_messages = warning');
        await until(() => dropSchema(client, schema));
      });
    },
  };
}

/** False after a deadlock: a server that was killed may still have statements in progress. */
async function dropSchema(client: pg.Client, schema: string): Promise<boolean> {
  try {
    await client.query(`drop schema if exists "${schema}" cascade`);
    return true;
  } catch (error) {
    if (isSerializationFailure(error)) return false;
    throw error;
  }
}

/** Works on the server itself, with a connection of its own. */
export async function asPostgresAdmin(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const url = new URL(await postgresUrl());
  url.search = '';
  const client = new pg.Client({ connectionString: url.href });
  await inTheEnd(async () => {
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }, `PostgreSQL: ${work}`);
}
