import { sharedMillis } from '../db/shared-clock.ts';
import { join, sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { waited } from '../kernel/wait.ts';
import type { Storage } from './storage.ts';

/** The interval of a process's heartbeat; milliseconds. */
const BEAT = 15_000;
/** A process without a heartbeat for this long has ended. */
const LEASE = 60_000;
/** After this time all objects of an ended process are old enough to be collected. */
const DEAD = LEASE + 2 * BEAT;

type Beating = Pick<Site, 'database' | 'clock' | 'observe'>;

/** The process that stored an object, from its key; '' for a key without one. */
export function writerOf(key: string): string {
  return /(?:^|\/)([0-9a-f]{10})-[0-9a-f]{32}/.exec(key)?.[1] ?? '';
}

/** The processes that store files in this site's storage now, by their heartbeats. */
export async function liveWriters({
  database,
  clock,
}: Pick<Site, 'database' | 'clock'>): Promise<Set<string>> {
  const now = sharedMillis(database.reader, clock);
  const rows = await database.reader.all(
    sql`select writer from _storage_writer where seen_at > ${now} - ${LEASE}`,
  );
  return new Set(rows.map((row) => String(row.writer)));
}

/** Processes that crashed, and whose remains have not been collected since. */
export async function deadWriters({ database, clock }: Pick<Site, 'database' | 'clock'>): Promise<string[]> {
  const now = sharedMillis(database.reader, clock);
  const rows = await database.reader.all(
    sql`select writer from _storage_writer where seen_at <= ${now} - ${DEAD}`,
  );
  return rows.map((row) => String(row.writer));
}

/** Deletes the records of ended processes, after their remains were collected. */
export async function forgetWriters(
  { database, clock }: Pick<Site, 'database' | 'clock'>,
  writers: readonly string[],
): Promise<void> {
  if (writers.length === 0) return;
  const among = sql`writer in (${join(writers.map((writer) => sql`${writer}`))})`;
  await database.transaction((db) =>
    db.run(
      sql`delete from _storage_writer where ${among} and seen_at <= ${sharedMillis(db, clock)} - ${DEAD}`,
    ),
  );
}

/**
 * Writes a heartbeat until stopped: it tells other processes that objects of this one may belong to uploads
 * in progress.
 */
export async function announceWriter(site: Beating, storage: Storage): Promise<() => Promise<void>> {
  const writer = writerOf(storage.newKey());
  const abort = new AbortController();
  await beat(site, writer);
  const beating = (async () => {
    while (await waited(BEAT, abort.signal)) {
      await beat(site, writer).catch((error: unknown) =>
        site.observe({ kind: 'unexpected', where: 'announcing that this process stores files', error }),
      );
    }
  })();
  return async () => {
    abort.abort();
    await beating;
    // Best effort: without a heartbeat it soon counts as ended anyway.
    await site.database
      .transaction((db) => db.run(sql`delete from _storage_writer where writer = ${writer}`))
      .catch(() => undefined);
  };
}

async function beat({ database, clock }: Beating, writer: string): Promise<void> {
  const now = sharedMillis(database.reader, clock);
  await database.single(
    sql`with old as (delete from _storage_writer where seen_at < ${now} - ${100 * LEASE} and writer <> ${writer})
        insert into _storage_writer (writer, seen_at) values (${writer}, ${now})
        on conflict (writer) do update set seen_at = excluded.seen_at`,
  );
}
