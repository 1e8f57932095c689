import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** The version of the doctypes, which grows with every change on every node; 0 before the first. */
export async function loadDoctypeVersion(connection: Connection): Promise<number> {
  const row = await connection.get(sql`select "value" from "_setting" where "key" = 'doctype_version'`);
  return Number(row?.['value'] ?? 0);
}
