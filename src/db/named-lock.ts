import type { Connection } from './database.ts';
import { sql } from './sql.ts';

/**
 * Lets no other transaction of this site take the lock of that name until this one ends. Before any row is locked that
 * the others also want, so that two of them wait here and not for each other. SQLite has one writer anyway.
 */
export async function lockByName(db: Connection, name: string): Promise<void> {
  if (db.dialect.name === 'sqlite') return;
  await db.get(
    sql`select pg_advisory_xact_lock(hashtext(current_schema() || ' ' || ${name}::text))::text as "locked"`,
  );
}
