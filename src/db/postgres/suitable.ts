import type { Client } from 'pg';

const CHECKS = `select current_setting('server_version_num')::int as version,
  current_setting('server_version') as named,
  current_setting('server_encoding') as encoding,
  exists (select from pg_collation where collname = 'und-x-icu') as icu`;

/** Requires a server and a database that can hold a site. @throws Error with what the operator must change */
export async function requireSuitable(client: Client): Promise<void> {
  const { rows } = await client.query(CHECKS);
  const is = rows[0];
  if (is.version < 140_000) throw new Error(`PostgreSQL 14 or later is needed, not ${is.named}`);
  if (is.encoding !== 'UTF8') throw new Error(`the database must be encoded in UTF8, not ${is.encoding}`);
  if (is.icu !== 1) throw new Error('the server must be built with ICU (collation und-x-icu)');
}
