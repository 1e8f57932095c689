import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, type Sql, sql } from '../db/sql.ts';
import { compileWhere } from './compile-condition.ts';
import { compileList } from './compile-list.ts';
import type { ListQuery } from './list-query.ts';

/** Counts the documents on all pages of a list; one row with the column `count`. */
export function compileCount(query: ListQuery, rowFilter: Sql | null, dialect: Dialect): Sql {
  const { doctype } = query;
  const where = compileWhere(query, rowFilter, dialect, null);
  return sql`select count(*) as "count" from ${ident(doctype.name)} as "_t"${where ? sql` where ${where}` : EMPTY}`;
}

/** Counts the rows of the list, groups and child rows included; may stop at `most`. */
export function compileCappedCount(
  query: ListQuery,
  rowFilter: Sql | null,
  dialect: Dialect,
  most: number,
): Sql {
  const { doctype, groups, joined } = query;
  const how = { output: 'rows', wholeSeconds: false } as const;
  if (groups !== null || joined) {
    const rows = compileList({ ...query, start: 0, limit: most }, rowFilter, dialect, how);
    return sql`select count(*) as "count" from (${rows}) as "rows"`;
  }
  const where = compileWhere(query, rowFilter, dialect, null);
  // SQLite counts a whole table by the pages of an index, ten times as fast as its first rows one by one.
  if (!where && dialect.name === 'sqlite' && doctype.rowsFrom === 'table')
    return compileCount(query, rowFilter, dialect);
  return sql`select count(*) as "count" from (select 1 from ${ident(doctype.name)} as "_t"${
    where ? sql` where ${where}` : EMPTY
  } limit ${most}) as "rows"`;
}

/** PostgreSQL's plan to read the documents on all pages of a list, as JSON in the only column. */
export function compilePlan(query: ListQuery, dialect: Dialect): Sql {
  const where = compileWhere(query, null, dialect, null);
  return sql`explain (format json) select 1 from ${ident(query.doctype.name)} as "_t"${where ? sql` where ${where}` : EMPTY}`;
}
