import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { ActualTable, Dialect, SchemaChange } from '../../../db/dialect.ts';
import { isLargeTable } from '../../../db/index-progress.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { afterLosses, lossesOf, lostColumn, requiredLosses } from '../../../doctype/loss-plan.ts';
import { isNumbered } from '../../../doctype/numbered.ts';
import { planTable, tableOn } from '../../../doctype/schema-plan.ts';
import { countOn } from '../../../document/naming/series.ts';
import { checkNames } from './check-names.ts';
import { checkUnique } from './check-stored.ts';
import { loseData } from './lose-data.ts';

export interface TableChangeOptions {
  /** The database is empty, so the table cannot exist. */
  readonly isNew?: boolean;
  /** True for a column that may be dropped, or whose values may be converted and not survive it. */
  readonly mayLose?: (column: string) => boolean;
  /** False for a field whose values an error must not name. */
  readonly mayShow?: (fieldname: string) => boolean;
  /** Leave all indexes that are not unique to `buildIndexes`; else only those of a large table. */
  readonly deferIndexes?: boolean;
}

export interface TableChanged {
  readonly changes: number;
  /** The number of deferred indexes. */
  readonly deferred: number;
  /** The columns whose values were dropped or converted. */
  readonly lost: readonly string[];
}

/**
 * Migrates a doctype's table to its definition, in the connection's transaction.
 * @throws ServiceError when stored data does not allow it
 */
export async function changeTable(
  connection: Connection,
  doctype: DocType,
  options: TableChangeOptions = {},
): Promise<TableChanged> {
  if (doctype.is_virtual) return { changes: 0, deferred: 0, lost: [] };
  const wanted = tableOn(connection.dialect.name, doctype);
  let actual = options.isNew ? null : await describeTable(connection, wanted.name);
  let lost: readonly string[] = [];
  const { mayLose } = options;
  if (actual && mayLose) {
    const losses = lossesOf(wanted, actual).filter((loss) => mayLose(lostColumn(loss)));
    lost = losses.map(lostColumn);
    await loseData(connection, doctype, actual, losses);
    if (lost.length > 0) actual = await describeTable(connection, wanted.name);
  }
  const planned = planTable(wanted, actual);
  const mayWait = actual && laterOf(planned, actual);
  const isLater = options.deferIndexes || (mayWait?.length && (await isLargeTable(connection, wanted.name)));
  const later = mayWait && isLater ? mayWait : [];
  const now = planned.filter((change) => !later.includes(change));
  // A unique column stores null for unset, so it must allow null before its values are checked.
  const indexes = now.filter(({ change }) => change === 'create_index');
  const isRekeyed = now.some((change) => change.change === 'alter_column' && change.to.name === 'name');
  if (actual && isRekeyed) await checkNames(connection, doctype, actual);
  await applyChanges(connection, now.slice(0, now.length - indexes.length));
  if (actual) await checkUnique(connection, doctype, actual, indexes, options.mayShow);
  await applyChanges(connection, indexes);
  if (isRekeyed && isNumbered(doctype)) await countOn(connection, doctype);
  return { changes: lost.length + now.length, deferred: later.length, lost };
}

/**
 * The changes of a table that there is, without the indexes that `deferIndexes` leaves to `buildIndexes`. Planned as if
 * the required losses were accepted.
 */
export async function changesNow(connection: Connection, doctype: DocType): Promise<readonly SchemaChange[]> {
  const actual = doctype.is_virtual ? null : await describeTable(connection, doctype.name);
  if (!actual) return [];
  const wanted = tableOn(connection.dialect.name, doctype);
  const losses = requiredLosses(wanted, lossesOf(wanted, actual));
  const planned = planTable(wanted, afterLosses(actual, losses));
  const later = laterOf(planned, actual);
  return planned.filter((change) => !later.includes(change));
}

/** The changes of indexes that are not unique: they only make reads faster, or writes. */
function laterOf(planned: readonly SchemaChange[], actual: ActualTable): SchemaChange[] {
  const unique = new Set([
    ...actual.indexes.filter((index) => index.unique).map(({ name }) => name),
    ...planned.flatMap((each) =>
      each.change === 'create_index' && each.index.unique ? [each.index.name] : [],
    ),
  ]);
  return planned.filter(
    (each) =>
      (each.change === 'create_index' && !each.index.unique) ||
      (each.change === 'drop_index' && !unique.has(each.index)),
  );
}

/** The indexes to build and to drop, also after interrupted builds. Each may have a transaction of its own. */
export function indexChanges(
  engine: Dialect['name'],
  doctype: DocType,
  actual: ActualTable | null,
): SchemaChange[] {
  if (doctype.is_virtual || !actual) return [];
  return laterOf(planTable(tableOn(engine, doctype), actual), actual);
}
