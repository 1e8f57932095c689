import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocColumn, DocType } from '../doctype/doctype.ts';
import { nameKey } from '../doctype/numbered.ts';
import { type ListOutput, shownAs } from './compile-list.ts';
import type { Expansion, SelectedTable } from './list-query.ts';
import type { ListRow } from './present-rows.ts';

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

/** Comments of one document in a list. */
const SHOWN = 100;

/** The statement for the latest comments of these documents that the user may read, oldest first. */
export function compileComments(
  doctype: DocType,
  readable: Sql | null,
  names: readonly string[],
  limit: number,
): Sql {
  return sql`select * from (
      select "reference_name" as ${ident(KEY_COLUMN)}, "name", coalesce("comment_email", "owner") as "by",
        substr("content", 1, ${LONGEST + 1}) as "comment",
        row_number() over (partition by "reference_name" order by "creation" desc, "name" desc) as "nth"
      from "Comment"
      where "reference_doctype" = ${doctype.name} and "reference_name" in (${join(names.map((name) => sql`${name}`))})
        and "comment_type" = 'Comment' and "content" <> ''${readable ? sql` and (${readable})` : EMPTY}
    ) as "_c" where "nth" <= ${SHOWN} order by "nth" desc limit ${limit}`;
}

/** Characters of a comment in a list. */
const LONGEST = 100;

/** The comments of one document in the form of Frappe's column `_comments`. */
export function commentsText(rows: readonly ListRow[]): string | null {
  const shown = rows.map(({ comment, by, name }) => {
    const characters = [...String(comment)];
    const isLong = characters.length > LONGEST;
    return { comment: isLong ? `${characters.slice(0, LONGEST - 3).join('')}...` : comment, by, name };
  });
  return shown.length === 0 ? null : JSON.stringify(shown);
}

/** The statement for the documents of these names that the user may read. */
export function compileExpansion(
  { target, columns, rows }: Expansion,
  names: readonly string[],
  dialect: Dialect,
  how: ListOutput,
): Sql {
  return sql`select ${columnsOf(columns, 'name', dialect, how)} from ${ident(target.name)} as "_t"
    where "name" in (${join(names.map((name) => sql`${nameKey(target, name)}`))})${rows ? sql` and (${rows})` : EMPTY}`;
}

function columnsOf(columns: readonly DocColumn[], key: string, dialect: Dialect, how: ListOutput): Sql {
  return join([
    sql`${ident(key)} as ${ident(KEY_COLUMN)}`,
    ...columns.map(
      ({ fieldname, kind }) => sql`${shownAs(ident(fieldname), kind, dialect, how)} as ${ident(fieldname)}`,
    ),
  ]);
}
