import type { Connection } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { LIMITS } from '../kernel/limits.ts';
import { inOrder, type Position } from './position.ts';

/**
 * Deletes one batch of changes beyond the age or number limit, and prevents resuming before them. Resolves to
 * their number.
 */
export async function pruneChanges(
  site: Pick<Site, 'clock' | 'database'>,
  kept: number = LIMITS.changesKept,
): Promise<number> {
  const { database } = site;
  const last = (await oldest(database.reader, site, kept)).at(-1);
  if (!last) return 0;
  return database.transaction(async (db) => {
    const upTo =
      db.dialect.name === 'postgres'
        ? sql`("tx", "id") <= (${last.tx}, ${last.id})`
        : sql`"id" <= ${last.id}`;
    await db.run(
      sql`update "_change_follow" set "since_tx" = ${last.tx}, "since_id" = ${last.id}
          where "since_tx" < ${last.tx} or ("since_tx" = ${last.tx} and "since_id" < ${last.id})`,
    );
    return db.run(sql`delete from "_change" where ${upTo}`);
  });
}

// Oldest first, so that the remaining changes have no gaps.
async function oldest(
  db: Connection,
  site: Pick<Site, 'clock' | 'database'>,
  kept: number,
): Promise<Position[]> {
  const rows = await db.all(
    sql`select "tx", "id", case when "created_at" < ${sharedMillis(db, site.clock)} - ${LIMITS.changeAge}
          or "id" <= (select max("id") from (select "id" from "_change" ${newestFirst(db)} limit 1) as "newest") - ${kept}
          then 1 else 0 end as "due"
        from "_change" ${inOrder(db.dialect)} limit ${LIMITS.pruneBatch}`,
  );
  const firstKept = rows.findIndex((row) => row['due'] !== 1);
  const due = firstKept === -1 ? rows : rows.slice(0, firstKept);
  return due.map((row) => ({ tx: Number(row['tx']), id: Number(row['id']) }));
}

function newestFirst(db: Connection) {
  return db.dialect.name === 'postgres' ? sql`order by "tx" desc, "id" desc` : sql`order by "id" desc`;
}

/**
 * Call it after a restored dump: changes of the former database have transaction numbers in the future.
 * Deletes them and prevents resuming before them.
 */
export async function dropForeignChanges(site: Pick<Site, 'database'>): Promise<void> {
  const { database } = site;
  if (database.dialect.name !== 'postgres') return;
  const foreign = sql`>= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
  const found = await database.reader.get(
    sql`select 1 as "one" where exists (select 1 from "_change" where "tx" ${foreign})
        or exists (select 1 from "_change_follow" where "since_tx" ${foreign})`,
  );
  if (!found) return;
  await database.transaction(async (db) => {
    await db.run(sql`delete from "_change"`);
    await db.run(sql`delete from "_change_follow"`);
  });
}
