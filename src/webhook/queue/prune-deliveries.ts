import type { Connection, Database, Row } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import { STATE } from './delivery-state.ts';

/**
 * Deletes up to `limit` deliveries that ended (delivered, exhausted, cancelled) before a time in
 * milliseconds, with their bodies and attempts. Resolves to the number deleted.
 */
export async function pruneDeliveries(database: Database, before: number, limit: number): Promise<number> {
  // Searches outside the transaction, so that an empty search blocks nobody.
  const rows = await database.reader.all(
    sql`select "id" from "_webhook_delivery" where "state" ${STATE.done} and "done_at" < ${before}
        order by "done_at" limit ${limit}`,
  );
  return remove(database, rows);
}

/** The same for ended deliveries with an id up to this one, oldest first. */
export async function pruneDeliveriesUpTo(database: Database, id: number, limit: number): Promise<number> {
  const rows = await database.reader.all(
    sql`select "id" from "_webhook_delivery" where "id" <= ${id} and "state" ${STATE.done} order by "id" limit ${limit}`,
  );
  return remove(database, rows);
}

/** Deliveries whose sizes one statement adds up. */
const SPAN = 2_000;
/** The approximate size of a delivery without its texts. */
const ROW_BYTES = 400;

/**
 * The largest id of the deliveries that exceed this number of bytes together with all later ones, bodies and
 * responses counted. 0 when all fit.
 */
export async function oversizedDeliveries(database: Database, bytes: number): Promise<number> {
  const newest = await database.reader.get(sql`select max("delivery") as "id" from "_webhook_body"`);
  let total = 0;
  for (let to = Number(newest?.['id'] ?? 0); to > 0; to -= SPAN) {
    const from = to - SPAN;
    const row = await database.reader.get(
      sql`select (select coalesce(sum(octet_length("body") + octet_length("headers") + octet_length("url") + ${ROW_BYTES}), 0)
            from "_webhook_body" where "delivery" > ${from} and "delivery" <= ${to}) +
          (select coalesce(sum(octet_length("text")), 0) from "_webhook_text" where "id" in
            (select "text" from "_webhook_body" where "delivery" > ${from} and "delivery" <= ${to})) +
          (select coalesce(sum(coalesce(octet_length("response"), 0) + ${ROW_BYTES}), 0)
            from "_webhook_attempt" where "delivery" > ${from} and "delivery" <= ${to}) as "bytes"`,
    );
    total += Number(row?.['bytes'] ?? 0);
    if (total > bytes) return to;
  }
  return 0;
}

async function remove(database: Database, rows: readonly Row[]): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = join(rows.map((row) => sql`${row['id'] ?? null}`));
  return database.transaction(async (connection) => {
    await connection.run(sql`delete from "_webhook_attempt" where "delivery" in (${ids})`);
    const bodies = await connection.all(
      sql`delete from "_webhook_body" where "delivery" in (${ids}) returning "text"`,
    );
    await releaseTexts(connection, bodies);
    return connection.run(sql`delete from "_webhook_delivery" where "id" in (${ids})`);
  });
}

/** Deletes the texts that no body names any more; `bodies` are the deleted ones. */
async function releaseTexts(connection: Connection, bodies: readonly Row[]): Promise<void> {
  const named = bodies.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (named.length === 0) return;
  const texts = [...Map.groupBy(named, (id) => id)].map(([id, { length }]) => ({ id, uses: length }));
  const listed = (some: typeof texts) => join(some.map(({ id }) => sql`${id}`));
  for (const [uses, some] of Map.groupBy(texts, (text) => text.uses)) {
    await connection.run(
      sql`update "_webhook_text" set "uses" = "uses" - ${uses} where "id" in (${listed(some)})`,
    );
  }
  await connection.run(sql`delete from "_webhook_text" where "id" in (${listed(texts)}) and "uses" <= 0`);
}
