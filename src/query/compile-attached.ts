import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocColumn, DocType } from '../doctype/doctype.ts';
import { type ListOutput, shownAs } from './compile-list.ts';
import type { Expansion, SelectedTable } from './list-query.ts';

/** The column of the name that a row belongs to: its parent's, or its own. */
export const KEY_COLUMN = '_key';

/** The statement for the rows of a child table of these documents, in their order; at most `limit`. */
export function compileRowsOf(
  doctype: DocType,
  table: SelectedTable,
  names: readonly string[],
  limit: number,
  dialect: Dialect,
  how: ListOutput,
): Sql {
  return sql`select ${columnsOf(table.columns, 'parent', dialect, how)} from ${ident(table.child.name)} as "_t"
    where "parent" in (${join(names.map((name) => sql`${name}`))}) and "parenttype" = ${doctype.name}
    and "parentfield" = ${table.table.fieldname} order by "parent", "idx", "name" limit ${limit}`;
}

/** The statement for the documents of these names that the user may read. */
export function compileExpansion(
  { target, columns, rows }: Expansion,
  names: readonly string[],
  dialect: Dialect,
  how: ListOutput,
): Sql {
  return sql`select ${columnsOf(columns, 'name', dialect, how)} from ${ident(target.name)} as "_t"
    where "name" in (${join(names.map((name) => sql`${name}`))})${rows ? sql` and (${rows})` : EMPTY}`;
}

function columnsOf(columns: readonly DocColumn[], key: string, dialect: Dialect, how: ListOutput): Sql {
  return join([
    sql`${ident(key)} as ${ident(KEY_COLUMN)}`,
    ...columns.map(
      ({ fieldname, kind }) => sql`${shownAs(ident(fieldname), kind, dialect, how)} as ${ident(fieldname)}`,
    ),
  ]);
}
