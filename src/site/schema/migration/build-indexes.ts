import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection, Database, IndexBuilder } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { SchemaChange } from '../../../db/dialect.ts';
import { isLargeTable, runningBuilds } from '../../../db/index-progress.ts';
import { sql } from '../../../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { loadDoctypeVersion } from '../../../document/doctype-version.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { waited } from '../../../kernel/wait.ts';
import { raiseDoctypeVersion, writeSetting } from '../../settings/settings-table.ts';
import { indexChanges } from './change-table.ts';
import { tellProgress, type Work, workOf } from './tell-progress.ts';

/** The setting that records missing indexes: the version of the doctypes that left them. */
export const INDEXES_PENDING = 'indexes_pending';

/** The pause before another look at the builds of another process; milliseconds. */
const PAUSE = 1_000;

/** Leaves indexes to `buildIndexes`, in the transaction of a change of doctypes. */
export async function leaveIndexes(connection: Connection): Promise<void> {
  await writeSetting(connection, INDEXES_PENDING, String(await loadDoctypeVersion(connection)));
}

/** True after `leaveIndexes`, until all indexes are built. */
export async function areIndexesPending(connection: Connection): Promise<boolean> {
  return (await pendingSince(connection)) !== null;
}

/**
 * Builds the indexes that `changeTable` left, one after the other: a killed process loses only the current one,
 * and the next start continues there. Those of large tables on PostgreSQL are built while other transactions
 * write, unless `large` is `leave`: `wait` also waits for the builds of another process, `skip` leaves those to
 * it. Resolves to the number of changes.
 */
export async function buildIndexes(
  database: Database,
  registry: DoctypeRegistry,
  observe: Observer,
  large: 'leave' | 'wait' | 'skip',
): Promise<number> {
  const since = await pendingSince(database.reader);
  const left: DocType[] = [];
  let changed = 0;
  const tell = tellProgress(await indexWork(database.reader, registry), observe);
  const observeChange = ({ name }: DocType) => {
    changed += 1;
    observe({ kind: 'schema_changed', doctype: name, changes: 1 });
  };
  for (const doctype of registry.all()) {
    if (!(await buildSmall(database, doctype, tell, observeChange))) left.push(doctype);
  }
  if (left.length > 0) {
    if (large === 'leave' || !(await buildLarge(database, left, tell, observeChange, large))) return changed;
  }
  // A change of doctypes in the meantime has written another version.
  await database.transaction((connection) =>
    connection.run(sql`delete from "_setting" where "key" = ${INDEXES_PENDING} and "value" = ${since}`),
  );
  return changed;
}

/** An entry for each missing index of a large table. */
async function indexWork(reader: Connection, registry: DoctypeRegistry): Promise<readonly Work[]> {
  const work: Work[] = [];
  for (const doctype of registry.all()) {
    for (const change of await changesOf(reader, doctype)) {
      const part = await workOf(reader, doctype.name, [change]);
      if (part) work.push(part);
    }
  }
  return work;
}

async function pendingSince(connection: Connection): Promise<string | null> {
  const row = await connection.get(sql`select "value" from "_setting" where "key" = ${INDEXES_PENDING}`);
  return row ? String(row['value']) : null;
}

/** Builds each missing index in its own transaction. False for a large table. */
async function buildSmall(
  database: Database,
  doctype: DocType,
  tell: (table: string) => void,
  observeChange: (doctype: DocType) => void,
): Promise<boolean> {
  for (;;) {
    const [next] = await changesOf(database.reader, doctype);
    if (!next) return true;
    if (await isLargeTable(database.reader, doctype.name)) return false;
    if (next.change === 'create_index') tell(doctype.name);
    const isChanged = await database.transaction(async (connection) => {
      // Of several starting nodes, one builds; the others wait here and find the index.
      await raiseDoctypeVersion(connection);
      const [change] = await changesOf(connection, doctype);
      if (change) await applyChanges(connection, [change]);
      return change !== undefined;
    });
    if (isChanged) observeChange(doctype);
  }
}

async function changesOf(connection: Connection, doctype: DocType): Promise<readonly SchemaChange[]> {
  return indexChanges(connection.dialect.name, doctype, await describeTable(connection, doctype.name));
}

/**
 * Builds the indexes of large tables. A failure leaves those of one table. False when another process has work
 * left to do.
 */
async function buildLarge(
  database: Database,
  doctypes: readonly DocType[],
  tell: (table: string) => void,
  observeChange: (doctype: DocType) => void,
  large: 'wait' | 'skip',
): Promise<boolean> {
  for (;;) {
    const errors: unknown[] = [];
    let isDone = false;
    await database.indexBuilds?.alone(async (builder) => {
      isDone = true;
      for (const doctype of doctypes) {
        const ended = await buildOf(database, builder, doctype, tell, observeChange).catch(
          (error: unknown) => {
            errors.push(error);
            return true;
          },
        );
        isDone &&= ended;
      }
    });
    if (errors.length > 0) throw errors[0];
    if (isDone || large === 'skip') return isDone;
    await waited(PAUSE);
  }
}

/** False if a build runs on the table whose process has ended. */
async function buildOf(
  database: Database,
  builder: IndexBuilder,
  doctype: DocType,
  tell: (table: string) => void,
  observeChange: (doctype: DocType) => void,
): Promise<boolean> {
  // Read again before each: a build takes long.
  for (;;) {
    const builds = await runningBuilds(database.reader);
    if (builds.some(({ table }) => table === doctype.name)) return false;
    const changes = await changesOf(database.reader, doctype);
    // First what makes reads faster: a drop also waits for transactions.
    const next = changes.find(({ change }) => change === 'create_index') ?? changes[0];
    if (!next) return true;
    if (next.change === 'create_index') {
      if (changes.some((each) => each.change === 'drop_index' && each.index === next.index.name))
        await builder.drop(next.index.name);
      tell(doctype.name);
      await builder.build(next.table, next.index);
    } else if (next.change === 'drop_index') await builder.drop(next.index);
    observeChange(doctype);
  }
}
