import type { Connection, Database } from './database.ts';
import { describeTable } from './describe.ts';
import type { Dialect } from './dialect.ts';
import { type Sql, type Statement, sql } from './sql.ts';
import { UnusableDatabase } from './unusable.ts';

/**
 * A migration step of the tables other than doctypes. Steps are numbered by their position and never change
 * after a release.
 */
export interface MigrationStep {
  readonly name: string;
  /**
   * The number of steps that code must know to work with the database beside this one. Default: any code may, as
   * the step only adds. See docs/decisions/0131.
   */
  readonly needs?: number;
  statements(dialect: Dialect): readonly (Sql | Statement)[];
}

/**
 * Updates the tables other than doctypes in one transaction. When several nodes start at once, one of them
 * migrates and the others find the work done. Before steps that running nodes are too old for, `fence` is called
 * once the database tells them so.
 * @throws UnusableDatabase when a newer version made the database
 */
export async function migrateSystemTables(
  database: Database,
  steps: readonly MigrationStep[],
  fence?: () => Promise<void>,
): Promise<void> {
  if (fence && (await database.transaction((connection) => tellOlder(connection, steps)))) await fence();
  await database.transaction(async (connection) => {
    const { done } = await begin(connection, steps.length);
    for (const [index, step] of steps.entries()) {
      if (index < done) continue;
      for (const statement of step.statements(connection.dialect)) await connection.run(statement);
      await connection.run(
        sql`insert into "_migration" ("id", "name", "applied_at", "needs")
            values (${index + 1}, ${step.name}, ${now(connection)}, ${step.needs ?? null})`,
      );
    }
  });
}

/** Locks the steps, and reads the number of the last one and the steps that code must know. */
async function begin(connection: Connection, known: number): Promise<{ done: number; needs: number }> {
  const postgres = connection.dialect.name === 'postgres';
  // On SQLite, the transaction itself is the lock.
  if (postgres)
    await connection.get(
      sql`select pg_advisory_xact_lock(hashtext(${connection.dialect.schema}::text || ' chancery'))`,
    );
  const table = await describeTable(connection, '_migration');
  if (!table) {
    await connection.run(
      postgres
        ? sql`create table "_migration" ("id" bigint primary key, "name" text, "applied_at" timestamp(6), "needs" bigint)`
        : sql`create table "_migration" ("id" INTEGER primary key, "name" TEXT, "applied_at" TEXT, "needs" INTEGER) strict`,
    );
  } else if (!table.columns.some(({ name }) => name === 'needs')) {
    await connection.run(
      sql`alter table "_migration" add column "needs" ${postgres ? sql`bigint` : sql`INTEGER`}`,
    );
  }
  const row = await connection.get(sql`select max("id") as last, max("needs") as needs from "_migration"`);
  const [done, needs] = [Number(row?.['last'] ?? 0), Number(row?.['needs'] ?? 0)];
  if (done > known || needs > known) {
    throw new UnusableDatabase(
      `the database was made by a newer version (its tables are at step ${Math.max(done, needs)}, this version knows ${known})`,
    );
  }
  return { done, needs };
}

/** Writes what the steps to come need, for running nodes. False when these know enough. */
async function tellOlder(connection: Connection, steps: readonly MigrationStep[]): Promise<boolean> {
  const present = await begin(connection, steps.length);
  const needs = Math.max(...steps.slice(present.done).map((step) => step.needs ?? 0));
  if (present.done === 0 || needs <= present.needs) return false;
  await connection.run(sql`update "_migration" set "needs" = ${needs} where "id" = ${present.done}`);
  return true;
}

/** The number of steps that code must know to work with this database; 0 where any may. */
export const NEEDED_STEPS: Sql = sql`select max("needs") from "_migration"`;

function now({ dialect }: Connection): Sql {
  return dialect.name === 'postgres'
    ? sql`current_timestamp at time zone 'UTC'`
    : sql`strftime('%Y-%m-%d %H:%M:%f', 'now') || '000'`;
}
