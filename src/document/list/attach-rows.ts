import type { Row } from '../../db/database.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import {
  commentsText,
  compileComments,
  compileExpansion,
  compileRowsOf,
  KEY_COLUMN,
} from '../../query/compile-attached.ts';
import type { ListOutput } from '../../query/compile-list.ts';
import { NAME_COLUMN } from '../../query/compile-terms.ts';
import type { ListQuery, SelectedComments, SelectedTable } from '../../query/list-query.ts';
import type { ListRow } from '../../query/present-rows.ts';
import type { Context } from '../contract.ts';

// Names per statement: both engines accept this many values.
const BATCH = 5_000;

/**
 * Adds child tables, comments and expanded links to rows from the database, before they are presented: one more
 * statement for each of them.
 * @throws ServiceError ValidationError when that exceeds the limit of a page
 */
export async function attachRows(
  ctx: Context,
  query: ListQuery,
  rows: readonly ListRow[],
  how: ListOutput,
): Promise<void> {
  const { selection, expand } = query;
  const terms = selection.select === 'terms' ? selection.terms : [];
  if (rows.length > LIMITS.listedRows && (expand.length > 0 || terms.some(({ value }) => value === 'rows'))) {
    throw new TooManyRows();
  }
  let left = LIMITS.listedRows;
  for (const [position, term] of terms.entries()) {
    if (term.value === 'rows') left -= await attachTerm(ctx, query, term, `_${position}`, rows, left, how);
  }
  for (const expansion of expand) {
    const found = await documentsOf(
      rows.map((row) => row[expansion.column]),
      async (names) =>
        ctx.db.all(compileExpansion(expansion, names, ctx.db.dialect, how), ctx.site.config.lists.maxBytes),
    );
    // A document that is gone or that the user may not read stays a name.
    for (const row of rows) {
      const name = row[expansion.column];
      const [document] = (typeof name === 'string' && found.get(name)) || [];
      if (document) row[expansion.column] = document;
    }
  }
}

async function attachTerm(
  ctx: Context,
  query: ListQuery,
  term: SelectedTable | SelectedComments,
  column: string,
  rows: readonly ListRow[],
  most: number,
  how: ListOutput,
): Promise<number> {
  let count = 0;
  const found = await documentsOf(
    rows.map((row) => String(row[NAME_COLUMN])),
    async (names) => {
      const limit = most - count + 1;
      const statement =
        term.table === null
          ? compileComments(query.doctype, term.comments, names, limit)
          : compileRowsOf(query.doctype, term, names, limit, ctx.db.dialect, how);
      const some = await ctx.db.all(statement, ctx.site.config.lists.maxBytes);
      count += some.length;
      if (count > most) throw new TooManyRows();
      return some;
    },
  );
  for (const row of rows) {
    const some = found.get(String(row[NAME_COLUMN])) ?? [];
    row[column] = term.table === null ? commentsText(some) : some;
  }
  return count;
}

async function documentsOf(
  keys: readonly unknown[],
  fetch: (names: readonly string[]) => Promise<Row[]>,
): Promise<Map<string, ListRow[]>> {
  const names = [...new Set(keys.filter((key) => typeof key === 'string' && key !== ''))] as string[];
  const found = new Map<string, ListRow[]>();
  for (let start = 0; start < names.length; start += BATCH) {
    for (const { [KEY_COLUMN]: key, ...row } of await fetch(names.slice(start, start + BATCH))) {
      const known = found.get(String(key));
      if (known) known.push(row);
      else found.set(String(key), [row]);
    }
  }
  return found;
}

/** A page would have more child rows than `LIMITS.listedRows`. */
export class TooManyRows extends ServiceError {
  constructor() {
    super(
      'ValidationError',
      `A page may have at most ${LIMITS.listedRows} child rows: fetch fewer documents at a time`,
    );
  }
}
