import type { Connection, Database, Row } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { ident, join, sql } from '../../src/db/sql.ts';
import type { DocType } from '../../src/doctype/doctype.ts';
import { tableOf } from '../../src/doctype/schema-plan.ts';
import { type Engine, freshDatabaseUrl } from './postgres.ts';

export interface TestTables {
  readonly database: Database;
  stop(): Promise<void>;
}

/** A database of its own with the tables of these doctypes and nothing else. */
export async function openTables(engine: Engine, doctypes: readonly DocType[]): Promise<TestTables> {
  const { url, drop } = await freshDatabaseUrl(engine);
  const database = await openDatabase(url);
  await database.transaction(async (connection) => {
    for (const doctype of doctypes) {
      const change = { change: 'create_table', table: tableOf(doctype) } as const;
      for (const statement of connection.dialect.changeSql(change)) await connection.run(statement);
    }
  });
  return {
    database,
    async stop() {
      await database.close();
      await drop();
    },
  };
}

/** Puts these rows, and only these, into a doctype's table; columns not named take their defaults. */
export async function fill(connection: Connection, doctype: DocType, rows: readonly Row[]): Promise<void> {
  await connection.run(sql`delete from ${ident(doctype.name)}`);
  for (const row of rows) {
    const columns = join(Object.keys(row).map(ident));
    const values = join(Object.values(row).map((value) => sql`${value}`));
    await connection.run(sql`insert into ${ident(doctype.name)} (${columns}) values (${values})`);
  }
}
