import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection } from '../../../db/database.ts';
import type { ActualTable, ColumnSpec } from '../../../db/dialect.ts';
import { EMPTY, ident, sql } from '../../../db/sql.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { fieldtypeOf } from '../../../doctype/fieldtypes/fieldtypes.ts';
import { type Loss, lostColumn } from '../../../doctype/loss-plan.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import type { FieldValue } from '../../../kernel/value.ts';

/** Rows converted per query. */
const BATCH = 1_000;

/** The values that a loss removes. */
export interface Lost {
  readonly count: number;
  /** A few examples, for a person. */
  readonly examples: readonly string[];
}

/** Counts the values that a loss would remove, without removing them. Narrowing checks every value. */
export async function countLost(connection: Connection, doctype: DocType, loss: Loss): Promise<Lost> {
  if (loss.loss === 'narrowing') {
    return eachValue(connection, doctype, loss.from, loss.to, async () => {});
  }
  const column = ident(loss.column.name);
  const empty = loss.column.notNullDefault;
  const filled = empty === null ? sql`${column} is not null` : sql`${column} <> ${empty}`;
  const row = await connection.get(
    sql`select count(*) as "count" from ${ident(doctype.name)} where ${filled}`,
  );
  return { count: Number(row?.['count'] ?? 0), examples: [] };
}

/**
 * Drops and converts columns, in the connection's transaction. Their indexes go too; planning adds them
 * again.
 */
export async function loseData(
  connection: Connection,
  doctype: DocType,
  actual: ActualTable,
  losses: readonly Loss[],
): Promise<void> {
  const table = doctype.name;
  for (const loss of losses) {
    const name = lostColumn(loss);
    for (const index of actual.indexes.filter(({ columns }) => columns.includes(name))) {
      const still = index.columns.every((column) => !gone(losses, loss, column));
      if (still) await applyChanges(connection, [{ change: 'drop_index', table, index: index.name }]);
    }
    if (loss.loss === 'narrowing') await narrow(connection, doctype, loss.from, loss.to);
    else await applyChanges(connection, [{ change: 'drop_column', table, column: name }]);
  }
}

// True when an earlier loss already dropped `column`, and with it the index.
function gone(losses: readonly Loss[], current: Loss, column: string): boolean {
  return losses.slice(0, losses.indexOf(current)).some((loss) => lostColumn(loss) === column);
}

async function narrow(
  connection: Connection,
  doctype: DocType,
  from: ColumnSpec,
  to: ColumnSpec,
): Promise<void> {
  const table = doctype.name;
  const fresh: ColumnSpec = { ...to, name: `_new_${to.name}` };
  await applyChanges(connection, [{ change: 'add_column', table, column: fresh }]);
  await eachValue(connection, doctype, from, to, async (name, value) => {
    await connection.run(
      sql`update ${ident(table)} set ${ident(fresh.name)} = ${value} where "name" = ${name}`,
    );
  });
  await applyChanges(connection, [
    { change: 'drop_column', table, column: from.name },
    { change: 'rename_column', table, column: fresh.name, to: to.name },
  ]);
}

/**
 * Converts every value as the field itself would. Calls `store` for the values that fit; resolves to the
 * others.
 */
async function eachValue(
  connection: Connection,
  doctype: DocType,
  from: ColumnSpec,
  to: ColumnSpec,
  store: (name: string, value: FieldValue) => Promise<void>,
): Promise<Lost> {
  const examples: string[] = [];
  let count = 0;
  for (let last: FieldValue = null; ; ) {
    const after = last === null ? EMPTY : sql`where "name" > ${last}`;
    const rows = await connection.all(
      sql`select "name", ${ident(from.name)} as "value" from ${ident(doctype.name)}
          ${after} order by "name" limit ${BATCH}`,
    );
    // Sent together: PostgreSQL receives them without a wait between them.
    await Promise.all(
      rows.map(async ({ name, value = null }) => {
        const converted = convert(doctype, to, value);
        if (converted === undefined) {
          count += 1;
          if (examples.length < LIMITS.valuesNamed) examples.push(`${JSON.stringify(value)} in ${name}`);
        } else if (converted !== to.notNullDefault) await store(String(name), converted);
      }),
    );
    last = rows.at(-1)?.['name'] ?? null;
    if (rows.length < BATCH) return { count, examples };
  }
}

/** Undefined when the value does not fit. */
function convert(doctype: DocType, to: ColumnSpec, value: FieldValue): FieldValue | undefined {
  const field = doctype.fieldByName.get(to.name);
  if (!field || value === null) return to.notNullDefault;
  try {
    return fieldtypeOf(field).coerce(value, field);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
