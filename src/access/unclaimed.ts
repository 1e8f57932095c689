import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** A key in `_setting`. It exists until the first use of the credentials that a start generated. */
export const UNCLAIMED = 'unclaimed_credentials';

/**
 * Records the first sign-in or use of an API key; later starts generate no credentials. Call it in the
 * transaction that records the use, because the row must not outlive any other trace of it.
 */
export async function claimSite(connection: Connection): Promise<void> {
  await connection.run(sql`delete from "_setting" where "key" = ${UNCLAIMED}`);
}
