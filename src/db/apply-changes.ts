import { ServiceError } from '../kernel/errors.ts';
import type { Connection } from './database.ts';
import { describeTable } from './describe.ts';
import type { SchemaChange } from './dialect.ts';
import { runningBuilds } from './index-progress.ts';
import type { Statement } from './sql.ts';

/**
 * Applies planned changes in order, inside the connection's transaction. Refuses them while an index of such a
 * table is built: they would wait for it, and all reads and writes of the table behind them. Do not run
 * `changeSql` alone: on SQLite, a column can change only while no index contains it, and on PostgreSQL, an index
 * is built for the nullability of its columns.
 */
export async function applyChanges(connection: Connection, changes: readonly SchemaChange[]): Promise<void> {
  await requireNoBuild(connection, changes);
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

async function requireNoBuild(connection: Connection, changes: readonly SchemaChange[]): Promise<void> {
  const tables = changes.flatMap((change) => (change.change === 'create_table' ? [] : [change.table]));
  if (tables.length === 0) return;
  const [build] = (await runningBuilds(connection)).filter(({ table }) => tables.includes(table));
  if (!build) return;
  const percent = Math.floor(100 * build.share);
  throw new ServiceError(
    'ServiceUnavailableError',
    `An index of ${build.table} is being built (${percent} %). Change its fields when it is done`,
    { headers: { 'Retry-After': '60' } },
  );
}

async function apply(connection: Connection, change: SchemaChange): Promise<void> {
  await runAll(connection, connection.dialect.changeSql(change));
}

async function runAll(connection: Connection, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) await connection.run(statement);
}
