import type { Sql } from '../../db/sql.ts';
import { jsonText } from '../../kernel/json-text.ts';
import type { FieldValue } from '../../kernel/value.ts';
import { mayEndEmpty } from '../../query/compile-keyset.ts';
import { compileList, type ListOutput } from '../../query/compile-list.ts';
import type { ListQuery } from '../../query/list-query.ts';
import { isPlain, type ListRow, presentRows } from '../../query/present-rows.ts';
import type { Context } from '../contract.ts';
import { attachRows } from './attach-rows.ts';
import { timed } from './slow-query.ts';
import { fullPage, walk } from './walk.ts';

/** The output format of the site. */
export function form(ctx: Context, output: 'rows' | 'json') {
  return { output, wholeSeconds: ctx.site.settings.timestampPrecision === 'seconds' } as const;
}

/** The start of a page given by a cursor, and whether its rows include the sort keys. */
export interface Page {
  readonly keys: boolean;
  readonly after: readonly FieldValue[] | null;
}

/**
 * Rows of a page from the database, for `rowsText`. `output` is `json` only for a plain list, whose rows are
 * JSON text then.
 * @throws TooLarge when their texts exceed `most` bytes; null for no limit
 */
export async function pageRows(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  output: ListOutput['output'],
  page: Page,
  most: number | null = ctx.site.config.lists.maxBytes,
): Promise<ListRow[]> {
  const fetch = (filled: boolean, upTo?: number): Promise<ListRow[]> => {
    const how = { ...form(ctx, output), paged: { ...page, filled }, walk: upTo };
    const statement = compileList(query, filter, ctx.db.dialect, how);
    return timed(ctx, query, 'list', () => ctx.db.all(statement, most ?? undefined));
  };
  if (!page.after) {
    const read = async (upTo: number) => fullPage(query, await fetch(false, upTo));
    return (await walk(ctx, query, filter, read)) ?? fetch(false);
  }
  if (mayEndEmpty(query, page.after)) {
    const rows = await fetch(true);
    if (rows.length === query.limit) return rows;
  }
  return fetch(false);
}

/** The same rows as the elements of a JSON array, commas between them. */
export async function rowsText(ctx: Context, query: ListQuery, rows: ListRow[]): Promise<string> {
  if (isPlain(query)) return rows.map(({ json }) => String(json)).join(',');
  await attachRows(ctx, query, rows, form(ctx, 'rows'));
  return jsonText(presentRows(query, rows)).slice(1, -1);
}
