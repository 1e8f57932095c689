import type { Connection, Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import { type Sql, type Statement, sql } from './sql.ts';
import { UnusableDatabase } from './unusable.ts';

/**
 * A migration step of the tables other than doctypes. Steps are numbered by their position and never change
 * after a release.
 */
export interface MigrationStep {
  readonly name: string;
  statements(dialect: Dialect): readonly (Sql | Statement)[];
}

/**
 * Updates the tables other than doctypes in one transaction. When several nodes start at once, one of them
 * migrates and the others find the work done.
 * @throws UnusableDatabase when a newer version made the database
 */
export async function migrateSystemTables(
  database: Database,
  steps: readonly MigrationStep[],
): Promise<void> {
  await database.transaction(async (connection) => {
    const postgres = connection.dialect.name === 'postgres';
    // On SQLite, the transaction itself is the lock.
    if (postgres)
      await connection.get(sql`select pg_advisory_xact_lock(hashtext(current_schema() || ' chancery'))`);
    await connection.run(
      postgres
        ? sql`create table if not exists "_migration" ("id" bigint primary key, "name" text, "applied_at" timestamp(6))`
        : sql`create table if not exists "_migration" ("id" INTEGER primary key, "name" TEXT, "applied_at" TEXT) strict`,
    );
    const done = await lastStep(connection);
    if (done > steps.length) {
      throw new UnusableDatabase(
        `the database was made by a newer version (its tables are at step ${done}, this version knows ${steps.length})`,
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < done) continue;
      for (const statement of step.statements(connection.dialect)) await connection.run(statement);
      await connection.run(
        sql`insert into "_migration" ("id", "name", "applied_at") values (${index + 1}, ${step.name}, ${now(postgres)})`,
      );
    }
  });
}

async function lastStep(connection: Connection): Promise<number> {
  const row = await connection.get(sql`select max("id") as last from "_migration"`);
  return Number(row?.['last'] ?? 0);
}

function now(postgres: boolean): Sql {
  return postgres
    ? sql`current_timestamp at time zone 'UTC'`
    : sql`strftime('%Y-%m-%d %H:%M:%f', 'now') || '000'`;
}
