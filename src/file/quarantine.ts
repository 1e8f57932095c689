import type { Connection } from '../db/database.ts';
import { lockByName } from '../db/named-lock.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/contract.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isHeld } from './backup-hold.ts';
import { type Content, keysOf } from './content.ts';
import { deleteUnused } from './delete-unused.ts';
import { type DeletedFile, renderDeleted } from './deleted-file.ts';
import type { ByteRange, OpenedObject, Storage } from './storage.ts';

type Quarantining = Pick<Site, 'database' | 'clock' | 'config'>;
interface StoredBytes extends Pick<Content, 'storageKey' | 'bytes'> {
  /** Their last File. */
  readonly file?: DeletedFile | undefined;
}

/** Objects per statement. */
const BATCH = 100;

/**
 * Gives objects up in the database, so that no upload can use them any more. Objects that the database knows
 * stay. `isDeleted`: a user deleted their last file.
 */
export async function giveUp(
  db: Connection,
  { clock }: Pick<Site, 'clock'>,
  objects: readonly StoredBytes[],
  isDeleted: boolean,
): Promise<void> {
  const rows = objects.map(
    ({ storageKey, bytes, file }) =>
      sql`(${storageKey}, ${storageKey}, 0, ${bytes}, ${sharedMillis(db, clock)}, ${isDeleted ? 1 : 0},
        ${file ? renderDeleted(file) : null})`,
  );
  await db.run(
    sql`insert into _stored_content (storage_key, sha256, is_private, bytes, swept_at, is_deleted, deleted_file)
      values ${join(rows)} on conflict do nothing`,
  );
}

/**
 * Gives up content that this transaction removed from its table, and moves its bytes into quarantine after
 * the commit. `file`: the last File of these bytes.
 */
export async function quarantineContent(
  ctx: Context,
  storage: Storage,
  content: StoredBytes,
  file?: DeletedFile,
): Promise<void> {
  const { storageKey } = content;
  const held = () => isHeld(ctx.site.database.reader, ctx.site);
  if (ctx.site.config.quarantine.bytes === 0) {
    // Bytes that a backup may still need are collected later.
    return ctx.afterCommit(async () => void ((await held()) || (await deleteUnused(storage, storageKey))));
  }
  await giveUp(ctx.db, ctx.site, [{ ...content, file }], true);
  ctx.afterCommit(async () => {
    if ((await isShort(storage)) && !(await held())) await deleteNow(ctx.site, storage, storageKey);
    else await moveAside(ctx.site, storage, storageKey);
  });
}

/** Moves bytes that were given up into quarantine, and back if they have come into use meanwhile. */
export async function moveAside(
  { database }: Pick<Site, 'database'>,
  { quarantine }: Storage,
  storageKey: string,
): Promise<void> {
  if (!quarantine) return;
  await quarantine.add(storageKey);
  if ((await keysOf(database.reader, [storageKey])).get(storageKey)) await quarantine.restore(storageKey);
}

// First nobody can restore the bytes any more. Their row goes with the next pruning.
async function deleteNow(
  { database }: Pick<Site, 'database'>,
  storage: Storage,
  storageKey: string,
): Promise<void> {
  const given = await database.transaction((db) => {
    db.spendReserve?.();
    return db.run(
      sql`update _stored_content set swept_at = 0 where storage_key = ${storageKey} and swept_at is not null`,
    );
  });
  if (given > 0) await deleteUnused(storage, storageKey);
}

/** Opens an object that may be in quarantine, or move there at this moment. */
export async function openAnywhere(
  storage: Storage,
  key: string,
  range?: ByteRange,
): Promise<OpenedObject | null> {
  const open = async () =>
    (await storage.open(key, range)) ?? (await storage.quarantine?.open(key, range)) ?? null;
  return (await open()) ?? (await open());
}

/** True when the disk under the storage is nearly full. */
export async function isShort(storage: Storage): Promise<boolean> {
  const free = await storage.free?.();
  return typeof free === 'number' && free < LIMITS.quarantineFree;
}

/**
 * Moves objects that the database knows back from quarantine: the database was restored, or another one was
 * used for a while. Objects in quarantine without a row get one. Resolves to the number moved back.
 */
export async function restoreKnown(site: Quarantining, storage: Storage): Promise<number> {
  const { quarantine } = storage;
  if (!quarantine) return 0;
  let restored = 0;
  let batch: StoredBytes[] = [];
  const settle = async () => {
    const known = await keysOf(
      site.database.reader,
      batch.map(({ storageKey }) => storageKey),
    );
    for (const { storageKey } of batch) {
      if (!known.get(storageKey)) continue;
      await quarantine.restore(storageKey);
      restored += 1;
    }
    const strangers = batch.filter(({ storageKey }) => !known.has(storageKey));
    if (strangers.length > 0) await site.database.transaction((db) => giveUp(db, site, strangers, false));
    batch = [];
  };
  for await (const { key: storageKey, bytes } of quarantine.list()) {
    batch.push({ storageKey, bytes });
    if (batch.length === BATCH) await settle();
  }
  if (batch.length > 0) await settle();
  return restored;
}

/**
 * Deletes objects whose time in quarantine is over. If the quarantine exceeds its limit or the disk is nearly
 * full, also files deleted by users, the oldest first. Deletes nothing while a backup may need it. Resolves to
 * the number of objects.
 */
export async function pruneQuarantine(site: Quarantining, storage: Storage): Promise<number> {
  await makeRoom(site, await isShort(storage));
  const { reader } = site.database;
  const due = sql`swept_at < ${sharedMillis(reader, site.clock)} - ${LIMITS.quarantineAge}`;
  let deleted = 0;
  for (;;) {
    const objects = await oldest(reader, due);
    if (await isHeld(reader, site)) return deleted;
    await remove(site, storage, objects);
    deleted += objects.length;
    if (objects.length < BATCH) return deleted;
  }
}

/**
 * Makes enough deleted files due that the rest is within the limit. Concurrent nodes count one another's
 * work.
 */
async function makeRoom(site: Quarantining, isFull: boolean): Promise<void> {
  const isOver = ({ unknown, deleted }: Awaited<ReturnType<typeof quarantineFigures>>) =>
    deleted.objects > 0 && (isFull || unknown.bytes + deleted.bytes > site.config.quarantine.bytes);
  if (!isOver(await quarantineFigures(site.database.reader))) return;
  await site.database.transaction(async (db) => {
    await lockByName(db, 'quarantine');
    for (;;) {
      const figures = await quarantineFigures(db);
      if (!isOver(figures)) return;
      const { unknown, deleted } = figures;
      const excess = isFull
        ? deleted.bytes + 1
        : unknown.bytes + deleted.bytes - site.config.quarantine.bytes;
      const page = await oldest(db, sql`is_deleted = 1 and swept_at > 0`);
      if (page.length === 0) return;
      const enough = page.findIndex((_, index) => bytesOf(page.slice(0, index + 1)) >= excess);
      const going = enough === -1 ? page : page.slice(0, enough + 1);
      // Not those that have come back meanwhile.
      await db.run(sql`update _stored_content set swept_at = 0 where swept_at > 0 and ${among(going)}`);
    }
  });
}

/** Objects and bytes in quarantine that are not due yet. */
export async function quarantineFigures(
  db: Connection,
): Promise<Record<'unknown' | 'deleted', { readonly objects: number; readonly bytes: number }>> {
  const rows = await db.all(
    sql`select is_deleted, count(*) as objects, sum(bytes) as bytes from _stored_content
      where swept_at > 0 group by is_deleted`,
  );
  const figures = (isDeleted: number) => {
    const row = rows.find((each) => Number(each.is_deleted) === isDeleted);
    return { objects: Number(row?.objects ?? 0), bytes: Number(row?.bytes ?? 0) };
  };
  return { unknown: figures(0), deleted: figures(1) };
}

// A row that a file or an upload still refers to is left to the file check, and so are its bytes.
async function oldest(db: Connection, which: Sql): Promise<StoredBytes[]> {
  const rows = await db.all(
    sql`select storage_key, bytes from _stored_content as content where swept_at is not null and ${which}
        and not exists (select 1 from _stored_file where _stored_file.storage_key = content.storage_key)
        and not exists (select 1 from _partial_piece where _partial_piece.storage_key = content.storage_key)
      order by swept_at limit ${BATCH}`,
  );
  return rows.map((row) => ({ storageKey: String(row.storage_key), bytes: Number(row.bytes) }));
}

// The bytes first: after a crash the row remains, and the next run deletes it.
async function remove(
  { database }: Quarantining,
  storage: Storage,
  objects: readonly StoredBytes[],
): Promise<void> {
  if (objects.length === 0) return;
  for (const { storageKey } of objects) {
    await storage.delete(storageKey);
    await storage.quarantine?.delete(storageKey);
  }
  await database.transaction((db) => {
    db.spendReserve?.();
    return db.run(sql`delete from _stored_content where swept_at is not null and ${among(objects)}`);
  });
}

function among(objects: readonly StoredBytes[]): Sql {
  return sql`storage_key in (${join(objects.map(({ storageKey }) => sql`${storageKey}`))})`;
}

function bytesOf(objects: readonly StoredBytes[]): number {
  return objects.reduce((sum, { bytes }) => sum + bytes, 0);
}
