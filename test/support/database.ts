import { after } from 'node:test';
import { applyChanges } from '../../src/db/apply-changes.ts';
import type { Connection, Database, DatabaseOptions } from '../../src/db/database.ts';
import type { ColumnKind, SchemaChange, TableSpec } from '../../src/db/dialect.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { ENGINES, type Engine, freshDatabaseUrl } from './postgres.ts';

/** An empty database that is closed and removed after the test file. */
export async function freshDatabase(engine: Engine, options: DatabaseOptions = {}): Promise<Database> {
  const { url, drop } = await freshDatabaseUrl(engine);
  const database = await openDatabase(url, options);
  after(async () => {
    await database.close();
    await drop();
  });
  return database;
}

/**
 * An empty database of each engine. Call it before the first `test` of a file: a runner whose tests are all done while
 * the file still awaits something runs the `after` hooks early.
 */
export async function freshDatabases(): Promise<readonly { engine: Engine; database: Database }[]> {
  return Promise.all(ENGINES.map(async (engine) => ({ engine, database: await freshDatabase(engine) })));
}

/** A table with a text key `name` and these columns; numbers are not null with default 0, as in doctype tables. */
export function tableSpec(name: string, columns: Readonly<Record<string, ColumnKind>>): TableSpec {
  return {
    name,
    primaryKey: 'name',
    columns: [
      { name: 'name', kind: 'text', notNullDefault: null },
      ...Object.entries(columns).map(([column, kind]) => ({
        name: column,
        kind,
        notNullDefault: kind === 'integer' || kind === 'real' ? 0 : null,
      })),
    ],
    indexes: [],
  };
}

export function change(database: Database, ...changes: readonly SchemaChange[]): Promise<void> {
  return database.transaction((connection: Connection) => applyChanges(connection, changes));
}
