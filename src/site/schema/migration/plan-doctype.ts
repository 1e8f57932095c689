import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { ActualTable, SchemaChange } from '../../../db/dialect.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { afterLosses, type Loss, lossesOf, lostColumn, requiredLosses } from '../../../doctype/loss-plan.ts';
import { planTable, tableOn } from '../../../doctype/schema-plan.ts';
import { requireDistinct } from './check-stored.ts';
import { countLost } from './lose-data.ts';

/** Stored values that a change of a doctype takes out of its documents. */
export interface DoctypeLoss {
  readonly fieldname: string;
  /** `removed`: the field is gone. `converted`: its fieldtype cannot hold the values. */
  readonly loss: 'removed' | 'converted';
  readonly values: number;
  readonly examples: readonly string[];
  /** The change is refused unless the loss is accepted. Else the values stay stored, without a field. */
  readonly required: boolean;
}

/** The effect of a change of a doctype on its table and rows. */
export interface DoctypePlan {
  readonly doctype: string;
  /** Rows stored now. */
  readonly rows: number;
  /** In order, and planned as if all required losses were accepted. */
  readonly changes: readonly SchemaChange[];
  readonly losses: readonly DoctypeLoss[];
  /** Fields that become mandatory, with the documents that have no value in them. */
  readonly incomplete: readonly { readonly fieldname: string; readonly documents: number }[];
  /** An estimate, rounded up. */
  readonly seconds: number;
}

/**
 * Plans the change of one doctype, without any change. Names values only of fields that the user may see.
 * @throws ServiceError when stored data does not allow it
 */
export async function planDoctype(
  connection: Connection,
  before: DocType | undefined,
  after: DocType,
  mayShow: (fieldname: string) => boolean,
): Promise<DoctypePlan> {
  const nothing = { doctype: after.name, rows: 0, changes: [], losses: [], incomplete: [], seconds: 0 };
  if (after.is_virtual) return nothing;
  const wanted = tableOn(connection.dialect.name, after);
  const actual = await describeTable(connection, after.name);
  if (!actual) return { ...nothing, changes: planTable(wanted, null) };
  const found = lossesOf(wanted, actual).filter((loss) => isNew(loss, before));
  const required = requiredLosses(wanted, found);
  const changes = planTable(wanted, afterLosses(actual, required));
  await requireUnique(connection, after, actual, changes, mayShow);
  const rows = await countRows(connection, after.name);
  const losses: DoctypeLoss[] = [];
  for (const loss of found) {
    const { count, examples } = await countLost(connection, after, loss);
    const isRequired = required.includes(loss);
    const kind = loss.loss === 'column' ? 'removed' : 'converted';
    const fieldname = lostColumn(loss);
    const shown = mayShow(fieldname) ? examples : [];
    losses.push({ fieldname, loss: kind, values: count, examples: shown, required: isRequired });
  }
  for (const table of removedTables(before, after)) {
    const values = await countChildRows(connection, after.name, table);
    losses.push({ fieldname: table.fieldname, loss: 'removed', values, examples: [], required: false });
  }
  const incomplete = await countIncomplete(connection, before, after);
  return {
    doctype: after.name,
    rows,
    changes,
    losses,
    incomplete,
    seconds: secondsFor(changes, losses, rows),
  };
}

// The columns of fields that were removed before this change are none of its losses.
function isNew(loss: Loss, before: DocType | undefined): boolean {
  return loss.loss === 'narrowing' || before?.columnByName.has(loss.column.name) === true;
}

/** Table fields whose rows a change takes away: it removes them, or gives them another type or child doctype. */
export function removedTables(before: DocType | undefined, after: DocType) {
  const kept = new Map(after.tables.map(({ fieldname, options }) => [fieldname, options]));
  return (before?.tables ?? []).filter(({ fieldname, options }) => kept.get(fieldname) !== options);
}

async function requireUnique(
  connection: Connection,
  doctype: DocType,
  actual: ActualTable,
  changes: readonly SchemaChange[],
  mayShow: (fieldname: string) => boolean,
): Promise<void> {
  const there = new Set(actual.columns.map((column) => column.name));
  for (const change of changes) {
    if (change.change !== 'create_index' || !change.index.unique) continue;
    const field = doctype.fieldByName.get(change.index.columns[0] ?? '');
    if (!field || !there.has(field.fieldname)) continue;
    await requireDistinct(connection, doctype, field, mayShow(field.fieldname));
  }
}

async function countRows(connection: Connection, table: string): Promise<number> {
  const row = await connection.get(sql`select count(*) as "count" from ${ident(table)}`);
  return Number(row?.['count'] ?? 0);
}

async function countChildRows(
  connection: Connection,
  parent: string,
  { fieldname, options }: DocType['tables'][number],
): Promise<number> {
  const row = await connection.get(
    sql`select count(*) as "count" from ${ident(options)}
        where "parenttype" = ${parent} and "parentfield" = ${fieldname}`,
  );
  return Number(row?.['count'] ?? 0);
}

async function countIncomplete(connection: Connection, before: DocType | undefined, after: DocType) {
  const incomplete: { fieldname: string; documents: number }[] = [];
  for (const { fieldname, field } of after.columns) {
    const was = before?.columnByName.get(fieldname);
    if (!field?.reqd || !was || was.field?.reqd) continue;
    const column = ident(fieldname);
    const row = await connection.get(
      sql`select count(*) as "count" from ${ident(after.name)}
          where ${column} is null or cast(${column} as text) = ''`,
    );
    const documents = Number(row?.['count'] ?? 0);
    if (documents > 0) incomplete.push({ fieldname, documents });
  }
  return incomplete;
}

/** Rows per second on a small machine: the order of magnitude. A new column takes no time on either database. */
const RATES: Readonly<Partial<Record<SchemaChange['change'], number>>> = {
  alter_column: 150_000,
  create_index: 250_000,
  drop_column: 400_000,
};
const CONVERTED = 20_000;

function secondsFor(changes: readonly SchemaChange[], losses: readonly DoctypeLoss[], rows: number): number {
  const passes = changes.map(({ change }) => 1 / (RATES[change] ?? Number.POSITIVE_INFINITY));
  const conversions = losses.map(({ loss }) => (loss === 'converted' ? 1 / CONVERTED : 0));
  return Math.ceil(rows * [...passes, ...conversions].reduce((sum, each) => sum + each, 0));
}
