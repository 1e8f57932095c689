import type { Connection } from './database.ts';
import { describeTable } from './describe.ts';
import type { SchemaChange } from './dialect.ts';
import type { Statement } from './sql.ts';

/**
 * Applies planned changes in order, inside the connection's transaction. Do not run `changeSql` alone: on
 * SQLite, a column can change only while no index contains it, and on PostgreSQL, an index is built for the
 * nullability of its columns.
 */
export async function applyChanges(connection: Connection, changes: readonly SchemaChange[]): Promise<void> {
  for (const change of changes) {
    if (change.change !== 'alter_column') {
      await apply(connection, change);
      continue;
    }
    const { table } = change;
    const actual = await describeTable(connection, table);
    const isKey = actual?.primaryKey === change.to.name;
    const indexes = actual?.indexes ?? [];
    const around = indexes.filter((index) => isKey || index.columns.includes(change.from.name));
    for (const index of around) await apply(connection, { change: 'drop_index', table, index: index.name });
    if (isKey) await runAll(connection, connection.dialect.keySql(actual, change.to));
    else await apply(connection, change);
    for (const index of around) await apply(connection, { change: 'create_index', table, index });
  }
}

async function apply(connection: Connection, change: SchemaChange): Promise<void> {
  await runAll(connection, connection.dialect.changeSql(change));
}

async function runAll(connection: Connection, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) await connection.run(statement);
}
