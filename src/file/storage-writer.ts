import { sharedMillis } from '../db/shared-clock.ts';
import { join, sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';
import { waited } from '../kernel/wait.ts';
import type { Storage } from './storage.ts';

/** A process says that often that it is alive. Milliseconds. */
const BEAT = 15_000;
/** One that was not heard of for so long has ended. */
const LEASE = 60_000;
/** Everything that one stored is old enough to be collected then. */
const DEAD = LEASE + 2 * BEAT;

type Beating = Pick<Site, 'database' | 'clock' | 'observe'>;

/** The process that an object was stored by, as its key tells; '' for a key that does not. */
export function writerOf(key: string): string {
  return /(?:^|\/)([0-9a-f]{10})-[0-9a-f]{32}/.exec(key)?.[1] ?? '';
}

/** The processes that store files in this site's storage now, as far as they have said so. */
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

/** Processes that ended without a word, and whose leftovers nobody has collected since. */
export async function deadWriters({ database, clock }: Pick<Site, 'database' | 'clock'>): Promise<string[]> {
  const now = sharedMillis(database.reader, clock);
  const rows = await database.reader.all(
    sql`select writer from _storage_writer where seen_at <= ${now} - ${DEAD}`,
  );
  return rows.map((row) => String(row.writer));
}

/** Forgets processes that ended, after their leftovers were collected. */
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

/** Lets other processes know, until stopped, that what this one stores is on its way to become files. */
export async function announceWriter(site: Beating, storage: Storage): Promise<() => Promise<void>> {
  const writer = writerOf(storage.newKey());
  const abort = new AbortController();
  await beat(site, writer);
  const beating = (async () => {
    while (await waited(BEAT, abort.signal)) {
      await beat(site, writer).catch((error: unknown) =>
        site.observe({ kind: 'unexpected', where: 'telling that this process stores files', error }),
      );
    }
  })();
  return async () => {
    abort.abort();
    await beating;
    // Best effort: it is taken for dead soon anyway.
    await site.database
      .transaction((db) => db.run(sql`delete from _storage_writer where writer = ${writer}`))
      .catch(() => undefined);
  };
}

async function beat({ database, clock }: Beating, writer: string): Promise<void> {
  await database.transaction(async (db) => {
    const now = sharedMillis(db, clock);
    await db.run(sql`delete from _storage_writer where seen_at < ${now} - ${100 * LEASE}`);
    await db.run(
      sql`insert into _storage_writer (writer, seen_at) values (${writer}, ${now})
        on conflict (writer) do update set seen_at = excluded.seen_at`,
    );
  });
}
