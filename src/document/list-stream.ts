import { join, type Sql, sql } from '../db/sql.ts';
import { compileList, type ListOutput } from '../query/compile-list.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Context } from './context.ts';
import { timed } from './slow-query.ts';

/** Documents read at a time. */
const PIECE = 1_000;

/**
 * A list of any length as pieces of the text of its JSON array, a thousand documents in memory at a time. Which documents
 * and in what order is settled by one statement at the start; each is then shown as it is when its turn comes, and left
 * out when it is gone or no longer fits. For plain queries (`isPlain`) without a limit.
 */
export async function* streamList(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  wholeSeconds: boolean,
): AsyncGenerator<string> {
  const names = await listedNames(ctx, query, filter);
  const how: ListOutput = { output: 'json', wholeSeconds };
  let separator = '[';
  for (let start = 0; start < names.length; start += PIECE) {
    const list = join(names.slice(start, start + PIECE).map((name) => sql`${name}`));
    const among = sql`"name" in (${list})`;
    const piece = { ...query, start: 0, limit: PIECE };
    const row = await ctx.db.get(
      compileList(piece, filter ? sql`${filter} and ${among}` : among, ctx.db.dialect, how),
    );
    const text = String(row?.['json'] ?? '[]').slice(1, -1);
    if (text.trim() === '') continue;
    yield separator + text;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

async function listedNames(ctx: Context, query: ListQuery, filter: Sql | null): Promise<string[]> {
  const column = query.doctype.columnByName.get('name');
  if (!column) throw new Error(`doctype ${query.doctype.name} has no column name`);
  const selection = { select: 'columns', columns: [{ column, key: 'name' }] } as const;
  const how = { output: 'rows', wholeSeconds: true } as const;
  const statement = compileList({ ...query, selection }, filter, ctx.db.dialect, how);
  const rows = await timed(ctx, query, 'list', () => ctx.db.all(statement));
  return rows.map((row) => String(row['name']));
}
