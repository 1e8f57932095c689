import type { Database } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';

/**
 * Deletes up to `limit` deliveries that were done (delivered, given up, cancelled) before a moment in milliseconds, with
 * what they sent and their attempts. Resolves to the number deleted.
 */
export async function pruneDeliveries(database: Database, before: number, limit: number): Promise<number> {
  // Looked for outside the transaction: nobody waits for a search that finds nothing.
  const rows = await database.reader.all(
    sql`select "id" from "_webhook_delivery" where "state" in (2, 3, 4) and "done_at" < ${before}
        order by "done_at" limit ${limit}`,
  );
  if (rows.length === 0) return 0;
  const ids = join(rows.map((row) => sql`${row['id'] ?? null}`));
  return database.transaction(async (connection) => {
    await connection.run(sql`delete from "_webhook_attempt" where "delivery" in (${ids})`);
    await connection.run(sql`delete from "_webhook_body" where "delivery" in (${ids})`);
    return connection.run(sql`delete from "_webhook_delivery" where "id" in (${ids})`);
  });
}
