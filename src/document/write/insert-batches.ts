import { EMPTY, ident, join, type Sql, type SqlValue, sql } from '../../db/sql.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../contract.ts';
import { scalarOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { statementText, withValues } from '../statements.ts';
import { labelUnique } from './unique.ts';

/** Rows or names per statement: measured as nearly the fastest on both engines, and few texts to cache. */
export const ROWS_AT_ONCE = 256;
/** The most bound values per statement: half of PostgreSQL's limit, all of SQLite's. */
const HOLES = 32_766;

/** How `insertBatches` writes rows beside the plain insertion of their fields. */
export interface InsertOptions {
  /** Rows that exist get the new values, and their next revision; otherwise they are errors. */
  readonly replace?: boolean;
  /** Further columns of the table. */
  readonly also?: readonly string[];
}

/** Inserts rows of one table, many with each statement. */
export async function insertBatches(
  ctx: Context,
  doctype: DocType,
  rows: readonly (ChildRow | Document)[],
  options: InsertOptions = {},
): Promise<void> {
  const { also = [] } = options;
  const columns = also.length === 0 ? layoutOf(doctype).columns : [...layoutOf(doctype).columns, ...also];
  const most = Math.min(ROWS_AT_ONCE, 2 ** Math.floor(Math.log2(HOLES / columns.length)));
  for (let start = 0; start < rows.length; ) {
    const size = batchSize(rows.length - start, most);
    const values: SqlValue[] = [];
    for (const row of rows.slice(start, start + size)) {
      for (const column of columns) values.push(scalarOf(row, column));
    }
    const statement = withValues(insertText(ctx, doctype, columns, size, options), values);
    await labelUnique(doctype, () => ctx.db.run(statement));
    start += size;
  }
}

function insertText(
  ctx: Context,
  doctype: DocType,
  columns: readonly string[],
  size: number,
  { replace = false, also = [] }: InsertOptions,
): string {
  const key = `insert ${size}${replace ? ' replace' : ''} ${also.join()}`;
  return statementText(doctype, ctx.db.dialect, key, () => {
    const row: Sql = sql`(${join(columns.map(() => sql`${null}`))})`;
    const rows = Array.from({ length: size }, () => row);
    const end = replace ? replacing(doctype, columns) : EMPTY;
    return sql`insert into ${ident(doctype.name)} (${join(columns.map(ident))}) values ${join(rows)}${end}`;
  });
}

function replacing(doctype: DocType, columns: readonly string[]): Sql {
  const sets = columns
    .filter((column) => column !== 'name')
    .map((column) => sql`${ident(column)} = excluded.${ident(column)}`);
  // Child rows share the revision of their parent.
  if (!doctype.istable) sets.push(sql`"_revision" = ${ident(doctype.name)}."_revision" + 1`);
  return sql`
      on conflict ("name") do update set ${join(sets)}`;
}

/** The largest power of two that fits, so that few statement texts serve every number of rows. */
export function batchSize(left: number, most: number): number {
  return Math.min(most, 2 ** Math.floor(Math.log2(left)));
}
