import { sharedMillis } from '../db/shared-clock.ts';
import { sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';
import { waited } from '../kernel/wait.ts';
import { keysOf } from './content.ts';
import type { ListedObject, Storage } from './storage.ts';
import { PART } from './storage-key.ts';
import { announceWriter, liveWriters, writerOf } from './storage-writer.ts';

/** Longer than any upload takes from its last byte to its commit. Milliseconds. */
const SAFE_AGE = 60 * 60 * 1000;
/** Of another process, nothing younger than this is touched, whoever it is. */
const YOUNG = 60 * 1000;
/** Objects looked up by one statement, and given up by one transaction. */
const BATCH = 100;
/** What was given up is remembered for longer than anyone could still want to enter it. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/** From one collection to the next, when nothing was spared. */
const EVERY = 6 * 60 * 60 * 1000;

/**
 * Collects leftovers now and then, from now until stopped: what a crash left goes while the site already serves. What
 * had to be spared is looked at again after a minute, then after longer and longer.
 */
export async function startCollecting(
  site: Pick<Site, 'database' | 'clock' | 'observe'>,
  storage: Storage,
): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const { signal } = abort;
  // The database of one process tells that its storage is, too.
  const alone = site.database.dialect.name === 'sqlite';
  const stopAnnouncing = alone ? null : await announceWriter(site, storage);
  const collecting = (async () => {
    let delay = YOUNG;
    do {
      try {
        const { spared } = await collectOrphans(site, storage, { alone, signal });
        delay = spared > 0 ? Math.min(2 * delay, EVERY) : EVERY;
      } catch (error) {
        site.observe({ kind: 'unexpected', where: 'sweeping the file storage', error });
        delay = Math.min(2 * delay, EVERY);
      }
    } while (await waited(delay, signal));
  })();
  return async () => {
    abort.abort();
    await collecting;
    await stopAnnouncing?.();
  };
}

/** How a collection went, in objects. */
export interface Collected {
  readonly deleted: number;
  /** No file has them, but they may be on their way: a later collection tells. */
  readonly spared: number;
}

type Collecting = Pick<Site, 'database' | 'clock'>;

/**
 * Deletes what interrupted uploads and deletes left in the storage: objects that no file has. Objects of this process
 * and of others that are alive are spared for an hour, for they may be on their way; `alone` says that there are no others.
 *
 * An object is given up in the database before it is deleted, so that an upload which took longer than anyone thought
 * is refused, rather than become a file without bytes.
 */
export async function collectOrphans(
  site: Collecting,
  storage: Storage,
  options: { readonly alone: boolean; readonly signal?: AbortSignal },
): Promise<Collected> {
  const { alone, signal } = options;
  const total = { deleted: 0, spared: 0 };
  const alive = alone ? new Set<string>() : await liveWriters(site);
  await forgetOld(site);
  // In batches: memory stays flat however many objects there are, and requests run in between.
  let batch: ListedObject[] = [];
  const collect = async () => {
    const orphans = await withoutFile(site, batch);
    batch = [];
    const due = orphans.filter((object) => isDue(object, alone, alive));
    total.spared += orphans.length - due.length;
    total.deleted += await remove(site, storage, due);
  };
  for await (const object of storage.list()) {
    if (signal?.aborted) return total;
    batch.push(object);
    if (batch.length === BATCH) await collect();
  }
  if (batch.length > 0) await collect();
  return total;
}

function isDue({ key, modifiedAt, ours }: ListedObject, alone: boolean, alive: ReadonlySet<string>): boolean {
  // A bucket tells when an upload began, which may take for hours as long as its process lives.
  if (key.endsWith(PART) && (ours || alive.has(writerOf(key)))) return false;
  const age = Date.now() - modifiedAt;
  if (age > SAFE_AGE) return true;
  if (ours) return false;
  return alone || (age > YOUNG && !alive.has(writerOf(key)));
}

async function withoutFile(site: Collecting, objects: readonly ListedObject[]): Promise<ListedObject[]> {
  const keys = objects.map(({ key }) => key);
  const known = await keysOf(site.database.reader, keys);
  return objects.filter(({ key }) => !known.get(key));
}

async function remove(site: Collecting, storage: Storage, objects: readonly ListedObject[]): Promise<number> {
  if (objects.length === 0) return 0;
  const keys = objects.map(({ key }) => key);
  const free = await site.database.transaction(async (db) => {
    const sweptAt = sharedMillis(db, site.clock);
    for (const key of keys) {
      await db.run(
        sql`insert into _stored_content (storage_key, sha256, is_private, bytes, swept_at)
          values (${key}, ${key}, 0, 0, ${sweptAt}) on conflict do nothing`,
      );
    }
    // Whoever was faster has it; what was given up before, but not deleted, is deleted now.
    const known = await keysOf(db, keys);
    return keys.filter((key) => known.get(key) === false);
  });
  for (const key of free) await storage.delete(key);
  return free.length;
}

async function forgetOld({ database, clock }: Collecting): Promise<void> {
  await database.transaction((db) =>
    db.run(sql`delete from _stored_content where swept_at < ${sharedMillis(db, clock)} - ${REMEMBERED}`),
  );
}
