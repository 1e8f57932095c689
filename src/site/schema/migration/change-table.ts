import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { ActualTable, SchemaChange } from '../../../db/dialect.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { lossesOf } from '../../../doctype/loss-plan.ts';
import { isNumbered } from '../../../doctype/numbered.ts';
import { planTable, tableOf } from '../../../doctype/schema-plan.ts';
import { countOn } from '../../../document/naming/series.ts';
import { checkNames } from './check-names.ts';
import { checkUnique } from './check-stored.ts';
import { loseData } from './lose-data.ts';

export interface TableChangeOptions {
  /** The database is empty, so the table cannot exist. */
  readonly isNew?: boolean;
  /** Drop columns of removed fields, and convert values that may not survive it. */
  readonly dataLoss?: boolean;
  /** Leave indexes that only speed up reading to `buildIndexes`: on a large table they take long. */
  readonly deferIndexes?: boolean;
}

export interface TableChanged {
  readonly changes: number;
  /** The number of deferred indexes. */
  readonly deferred: number;
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
  if (doctype.is_virtual) return { changes: 0, deferred: 0 };
  const wanted = tableOf(doctype);
  let actual = options.isNew ? null : await describeTable(connection, wanted.name);
  let lost = 0;
  if (actual && options.dataLoss) {
    const losses = lossesOf(wanted, actual);
    lost = losses.length;
    await loseData(connection, doctype, actual, losses);
    if (lost > 0) actual = await describeTable(connection, wanted.name);
  }
  const planned = planTable(wanted, actual);
  const later = actual && options.deferIndexes ? planned.filter(isPlainIndex) : [];
  const now = planned.filter((change) => !later.includes(change));
  // A unique column stores null for unset, so it must allow null before its values are checked.
  const indexes = now.filter(({ change }) => change === 'create_index');
  const isRekeyed = now.some((change) => change.change === 'alter_column' && change.to.name === 'name');
  if (actual && isRekeyed) await checkNames(connection, doctype, actual);
  await applyChanges(connection, now.slice(0, now.length - indexes.length));
  if (actual) await checkUnique(connection, doctype, actual, indexes);
  await applyChanges(connection, indexes);
  if (isRekeyed && isNumbered(doctype)) await countOn(connection, doctype);
  return { changes: lost + now.length, deferred: later.length };
}

function isPlainIndex(change: SchemaChange): boolean {
  return change.change === 'create_index' && !change.index.unique;
}

/** The missing indexes of a table. Build each in its own transaction. */
export function missingIndexes(doctype: DocType, actual: ActualTable | null): SchemaChange[] {
  if (doctype.is_virtual || !actual) return [];
  return planTable(tableOf(doctype), actual).filter(isPlainIndex);
}
