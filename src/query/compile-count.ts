import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, type Sql, sql } from '../db/sql.ts';
import { compileWhere } from './compile-condition.ts';
import type { ListQuery } from './list-query.ts';

/** The statement that counts what a list would show on all its pages; one row with the column `count`. */
export function compileCount(query: ListQuery, rowFilter: Sql | null, dialect: Dialect): Sql {
  const { doctype } = query;
  const where = compileWhere(query, rowFilter, dialect, null);
  return sql`select count(*) as "count" from ${ident(doctype.name)} as "_t"${where ? sql` where ${where}` : EMPTY}`;
}
