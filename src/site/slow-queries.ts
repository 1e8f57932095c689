import type { Connection, Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { JOBS, type Jobs } from '../kernel/jobs.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer, QueryShape } from '../kernel/observation.ts';

/** The count and times of a slow query shape; milliseconds. */
export interface SlowQuery {
  readonly shape: QueryShape;
  readonly count: number;
  readonly totalMillis: number;
  readonly maxMillis: number;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

/** Recent slow queries of this process, to be added to the totals in the database. */
export interface SlowQueries {
  note(shape: QueryShape, millis: number): void;
  /** Stops the periodic writes, and writes the rest. */
  stop(): Promise<void>;
}

interface Tally {
  count: number;
  totalMillis: number;
  maxMillis: number;
}

/**
 * Records shapes of slow queries without values, at most `LIMITS.slowQueries` of them, and adds them to
 * `_slow_query` periodically.
 */
export function rememberSlowQueries(
  database: Database,
  clock: Clock,
  observe: Observer,
  jobs: Jobs,
): SlowQueries {
  const job = jobs.job('store_slow_queries');
  let noted = new Map<string, Tally>();
  const abort = new AbortController();

  async function write(): Promise<number> {
    const tallies = noted;
    noted = new Map();
    if (tallies.size > 0) await addTo(database, tallies, nowMillis(clock));
    return tallies.size;
  }
  const failed = (error: unknown) => observe({ kind: 'unexpected', where: 'recording slow queries', error });

  const running = (async () => {
    while (await job.due(JOBS.store_slow_queries, abort.signal)) await job.run(write).catch(failed);
  })();

  return {
    note({ doctype, what, equal, range, other, order }, millis) {
      const key = JSON.stringify({ doctype, what, equal, range, other, order });
      const tally = noted.get(key) ?? { count: 0, totalMillis: 0, maxMillis: 0 };
      if (tally.count === 0 && noted.size >= LIMITS.slowQueries) return;
      noted.set(key, tally);
      tally.count += 1;
      tally.totalMillis += millis;
      tally.maxMillis = Math.max(tally.maxMillis, millis);
    },
    async stop() {
      abort.abort();
      await running;
      await write().catch(failed);
    },
  };
}

function addTo(database: Database, tallies: ReadonlyMap<string, Tally>, now: number): Promise<void> {
  return database.transaction(async (db) => {
    // In the same order on every node, so that two nodes never deadlock.
    for (const [shape, { count, totalMillis, maxMillis }] of [...tallies].toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      await db.run(
        sql`insert into "_slow_query" ("shape", "count", "total_millis", "max_millis", "seen_at")
            values (${shape}, ${count}, ${totalMillis}, ${maxMillis}, ${now})
            on conflict ("shape") do update set "count" = "_slow_query"."count" + excluded."count",
              "total_millis" = "_slow_query"."total_millis" + excluded."total_millis",
              "max_millis" = case when excluded."max_millis" > "_slow_query"."max_millis"
                then excluded."max_millis" else "_slow_query"."max_millis" end,
              "seen_at" = excluded."seen_at"`,
      );
    }
    await db.run(
      sql`delete from "_slow_query" where "shape" not in
          (select "shape" from "_slow_query" order by "seen_at" desc, "shape" limit ${LIMITS.slowQueries})`,
    );
  });
}

/** The recorded slow queries, the longest total time first. */
export async function loadSlowQueries(connection: Connection): Promise<SlowQuery[]> {
  const rows = await connection.all(
    sql`select "shape", "count", "total_millis", "max_millis", "seen_at" from "_slow_query" order by "total_millis" desc, "shape"`,
  );
  return rows.map((row) => ({
    shape: JSON.parse(String(row['shape'])) as QueryShape,
    count: Number(row['count']),
    totalMillis: Number(row['total_millis']),
    maxMillis: Number(row['max_millis']),
    seenAt: Number(row['seen_at']),
  }));
}
