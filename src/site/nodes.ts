import { hostname } from 'node:os';
import { version } from '../config/version.ts';
import type { Database } from '../db/database.ts';
import { describeTable } from '../db/describe.ts';
import type { Dialect } from '../db/dialect.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { type Sql, type Statement, sql } from '../db/sql.ts';
import { integer, table, text } from '../db/table-spec.ts';
import type { Site } from '../document/contract.ts';
import { FILES_USED } from '../file/site-mark.ts';
import type { Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { waited } from '../kernel/wait.ts';

/** The interval of a server's heartbeat; milliseconds. */
const BEAT = 15_000;
/** A server without a heartbeat for this long does not run. */
const LEASE = 60_000;
/** A server that has ended without a word is listed for this long. */
const REMEMBERED = 24 * 60 * 60_000;

/** A server that shares the database with others. Times are milliseconds since the epoch. */
export interface Node {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly workers: number;
  readonly startedAt: number;
  readonly seenAt: number;
  readonly isAlive: boolean;
}

/** The servers of a database, by their heartbeats: `_node`. */
export function nodeTable(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [
    text('id'),
    text('host'),
    integer('pid'),
    text('version'),
    integer('workers'),
    integer('started_at'),
    integer('seen_at'),
  ];
  return dialect.changeSql({ change: 'create_table', table: table('_node', columns) });
}

type Announcing = Pick<Site, 'database' | 'clock' | 'random' | 'observe'>;

/** A running announcement. */
export interface Announced {
  readonly id: string;
  stop(): Promise<void>;
}

/**
 * Writes this server's heartbeat until it is stopped. Of several workers, one calls it. A database of one
 * server needs none.
 */
export async function announceNode(site: Announcing, workers: number): Promise<Announced> {
  const id = site.random.hash(10);
  const abort = new AbortController();
  await beat(site, id, workers);
  const beating = (async () => {
    while (await waited(BEAT, abort.signal)) {
      await beat(site, id, workers).catch((error: unknown) =>
        site.observe({ kind: 'unexpected', where: 'announcing this server', error }),
      );
    }
  })();
  return {
    id,
    async stop() {
      abort.abort();
      await beating;
      // Best effort: without a heartbeat it soon counts as ended anyway.
      await site.database
        .transaction((db) => db.run(sql`delete from "_node" where "id" = ${id}`))
        .catch(() => undefined);
    },
  };
}

/**
 * It also notes in the database that its files are in use: a standby that takes over is then behind by no more than its
 * delay and one beat, however long ago the servers started.
 */
async function beat({ database, clock }: Announcing, id: string, workers: number): Promise<void> {
  const now = sharedMillis(database.reader, clock);
  await database.single(
    sql`with old as (delete from "_node" where "seen_at" < ${now} - cast(${REMEMBERED} as bigint) and "id" <> ${id}),
          used as (update "_setting" set "value" = cast(${now} as text)
            where "key" = ${FILES_USED} and cast("value" as bigint) < ${now})
        insert into "_node" ("id", "host", "pid", "version", "workers", "started_at", "seen_at")
        values (${id}, ${hostname()}, ${process.pid}, ${version()}, ${workers}, ${now}, ${now})
        on conflict ("id") do update set "seen_at" = excluded."seen_at"`,
  );
}

/** Waits until servers that are too old for the database have found out; not at all where none runs. */
export async function olderNodesFenced(database: Database, clock: Clock): Promise<void> {
  if (!(await describeTable(database.reader, '_node'))) return;
  const nodes = await loadNodes({ database, clock });
  if (nodes.some(({ isAlive }) => isAlive)) await waited(LIMITS.fenceWait);
}

/** The servers that share the database now, and those that have ended without a word; the oldest first. */
export async function loadNodes({ database, clock }: Pick<Site, 'database' | 'clock'>): Promise<Node[]> {
  const now = sharedMillis(database.reader, clock);
  const rows = await database.reader.all(
    sql`select *, case when "seen_at" > ${now} - ${LEASE} then 1 else 0 end as "alive" from "_node"
        order by "alive" desc, "started_at", "id" limit ${LIMITS.nodesShown}`,
  );
  return rows.map((row) => ({
    id: String(row['id']),
    host: String(row['host']),
    pid: Number(row['pid']),
    version: String(row['version']),
    workers: Number(row['workers']),
    startedAt: Number(row['started_at']),
    seenAt: Number(row['seen_at']),
    isAlive: row['alive'] === 1,
  }));
}
