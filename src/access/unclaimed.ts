import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** In `_setting`: there while nobody has used the credentials that a start made up. */
export const UNCLAIMED = 'unclaimed_credentials';

/**
 * Notes that somebody has signed in, or used an API key: from then on no start makes up credentials. Belongs into the
 * transaction that notes the use, because the row must not outlive any other trace of it.
 */
export async function claimSite(connection: Connection): Promise<void> {
  await connection.run(sql`delete from "_setting" where "key" = ${UNCLAIMED}`);
}
