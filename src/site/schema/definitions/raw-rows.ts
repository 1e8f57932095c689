import type { Connection } from '../../../db/database.ts';
import { ident, join, type Sql, type SqlValue, sql } from '../../../db/sql.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { fieldtypeOf } from '../../../doctype/fieldtypes/fieldtypes.ts';
import type { Random } from '../../../kernel/random.ts';

/** Columns of one row; absent columns are stored as unset. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The user and time of rows that the site writes itself. */
export interface Stamp {
  /** Stored form of a timestamp. */
  readonly now: string;
  readonly random: Random;
}

/** Rows per statement. Statements with more rows would rarely be prepared once for several inserts. */
const ROWS = 16;

/**
 * Inserts rows of a doctype below the document pipeline: without hooks and events, and with no checks but
 * those of single values. For metadata, and for rows that documents depend on. An existing row of the same
 * name is kept, or with `replace` overwritten except for its owner and creation.
 */
export async function insertRows(
  connection: Connection,
  doctype: DocType,
  rows: readonly RawRow[],
  stamp: Stamp,
  onConflict: 'keep' | 'replace' = 'keep',
): Promise<void> {
  const columns = doctype.columns.map((column) => column.fieldname);
  const head = sql`insert into ${ident(doctype.name)} (${join(columns.map(ident))}) values `;
  const tail = onConflict === 'keep' ? sql` on conflict ("name") do nothing` : replacing(doctype, columns);
  for (let start = 0; start < rows.length; start += ROWS) {
    const tuples = rows.slice(start, start + ROWS).map((row) => {
      const values = valuesOf(doctype, row, stamp);
      return sql`(${join(values.map((value) => sql`${value}`))})`;
    });
    await connection.run(sql`${head}${join(tuples)}${tail}`);
  }
}

function replacing(doctype: DocType, columns: readonly string[]): Sql {
  const kept = new Set(['name', 'owner', 'creation']);
  const sets = columns
    .filter((column) => !kept.has(column))
    .map((column) => sql`${ident(column)} = excluded.${ident(column)}`);
  const revision = doctype.istable ? [] : [sql`"_revision" = ${ident(doctype.name)}."_revision" + 1`];
  return sql` on conflict ("name") do update set ${join([...sets, ...revision])}`;
}

function valuesOf(doctype: DocType, row: RawRow, stamp: Stamp): SqlValue[] {
  const standard: RawRow = {
    name: stamp.random.hash(10),
    owner: 'Administrator',
    creation: stamp.now,
    modified: stamp.now,
    modified_by: 'Administrator',
  };
  return doctype.columns.map((column) => {
    const given = row[column.fieldname];
    if (column.field) {
      if (given === undefined || given === null) return column.empty;
      return fieldtypeOf(column.field).coerce(
        typeof given === 'boolean' ? Number(given) : given,
        column.field,
      );
    }
    const value = given ?? standard[column.fieldname] ?? column.empty;
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
}
