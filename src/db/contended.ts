import { LIMITS } from '../kernel/limits.ts';
import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/**
 * A column to return from a statement that locks a row for which many transactions wait. From then on PostgreSQL
 * ends the transaction when its process is silent for `LIMITS.contendedIdle`, so that a frozen process does not
 * block all others. SQLite has one process.
 */
export function contended(dialect: Dialect): Sql {
  if (dialect.name === 'sqlite') return sql`null as "idle"`;
  return sql`set_config('idle_in_transaction_session_timeout', ${String(LIMITS.contendedIdle)}, true) as "idle"`;
}
