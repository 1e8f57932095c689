import type { Connection } from './database.ts';
import { sql } from './sql.ts';

/**
 * Takes an advisory lock of this site until the transaction ends. Call it before locking rows that other
 * transactions also lock, to avoid deadlocks. SQLite needs no lock, because it has one writer.
 */
export async function lockByName(db: Connection, name: string): Promise<void> {
  if (db.dialect.name === 'sqlite') return;
  await db.get(
    sql`select pg_advisory_xact_lock(hashtext(${db.dialect.schema}::text || ' ' || ${name}::text))::text as "locked"`,
  );
}
