import type { Sql } from '../db/sql.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { FieldValue } from '../kernel/value.ts';
import { compileCappedCount } from '../query/compile-count.ts';
import { keysOfRow, mayEndEmpty } from '../query/compile-keyset.ts';
import { compileList } from '../query/compile-list.ts';
import { isAbsent, jsonParameter } from '../query/json-parameter.ts';
import type { ListParameters, ListQuery } from '../query/list-query.ts';
import { isPlain, type ListRow, presentRows } from '../query/present-rows.ts';
import { attachRows } from './attach-rows.ts';
import type { Context } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { allowedList, form } from './list.ts';
import { answersFromMemory, memoryCount, memoryRows } from './memory-list.ts';
import { noteExport } from './note-export.ts';
import { timed } from './slow-query.ts';

/** One page of a list, and what there is beyond it. */
export interface ListPage {
  /** The text of a JSON array. */
  readonly json: string;
  readonly hasNextPage: boolean;
  /**
   * For `after` of the next page: finds it as fast as the first, and no row twice however many are made meanwhile. Null on the last
   * page, and where rows are not single documents (groups, child rows, virtual doctypes).
   */
  readonly cursor: string | null;
  /** Rows on all pages, when `include=count` or `count=exact` asked for it; else null. */
  readonly count: number | null;
  /** There are more than `count`. */
  readonly countCapped: boolean;
}

/**
 * A page of a list: `after` is the cursor of the page before; `include=count` counts up to a cap, `count=exact` to the end.
 * @throws ServiceError as `listDocuments`, and ValidationError for a cursor of another list
 */
export async function listPage(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<ListPage> {
  const { query, filter } = allowedList(ctx, doctypeName, parameters);
  await noteExport(ctx, query);
  const counting = parseCounting(parameters);
  const hasKeys = takesCursor(query, filter);
  if (!isAbsent(parameters['after']) && !hasKeys) {
    throw new ServiceError('ValidationError', 'after needs a list of documents: use limit_start here');
  }
  const after = isAbsent(parameters['after']) ? null : readCursor(ctx.site, query, parameters['after']);
  // One more than asked for shows whether there are more.
  const { limit } = query;
  const longer: ListQuery = { ...query, limit: limit === null ? null : limit + 1 };
  const rows = await fetchRows(ctx, longer, filter, hasKeys, after);
  const hasNextPage = limit !== null && rows.length > limit;
  if (hasNextPage) rows.length = limit;
  const last = rows.at(-1);
  const cursor = hasNextPage && hasKeys && last ? writeCursor(ctx.site, query, keysOfRow(query, last)) : null;
  const json = await textOf(ctx, query, filter, rows);
  if (counting === 'none') return { json, hasNextPage, cursor, count: null, countCapped: false };
  const most = counting === 'exact' ? Number.MAX_SAFE_INTEGER - 1 : LIMITS.countCap;
  const found = await countRows(ctx, query, filter, most);
  return { json, hasNextPage, cursor, count: Math.min(found, most), countCapped: found > most };
}

function parseCounting({ include, count }: ListParameters): 'none' | 'capped' | 'exact' {
  if (!isAbsent(count)) {
    if (count === 'exact') return 'exact';
    throw new ServiceError('ValidationError', 'count may be "exact"');
  }
  const wanted = isAbsent(include) ? null : jsonParameter('include', include);
  if (wanted === null) return 'none';
  const names = typeof wanted === 'string' ? wanted.split(',').map((name) => name.trim()) : wanted;
  // A page has its cursor anyway; asking for it makes a page of a plain list.
  if (!Array.isArray(names) || names.some((name) => name !== 'count' && name !== 'cursor')) {
    throw new ServiceError('ValidationError', 'include may be "count" and "cursor"');
  }
  return names.includes('count') ? 'capped' : 'none';
}

function takesCursor(query: ListQuery, filter: Sql | null): boolean {
  const { selection, groups, joined } = query;
  return (
    selection.select !== 'count' && groups === null && joined === null && !answersFromMemory(query, filter)
  );
}

// Plain rows come as JSON text, one for each, beside the keys.
async function fetchRows(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  keys: boolean,
  after: readonly FieldValue[] | null,
): Promise<ListRow[]> {
  if (answersFromMemory(query, filter)) return memoryRows(ctx, query);
  const output = isPlain(query) ? 'json' : 'rows';
  const fetch = (filled: boolean) => {
    const how = { ...form(ctx, output), paged: { keys, after, filled } };
    const statement = compileList(query, filter, ctx.db.dialect, how);
    return timed(ctx, query, 'list', () => ctx.db.all(statement));
  };
  if (after && mayEndEmpty(query, after)) {
    const rows = await fetch(true);
    if (rows.length === query.limit) return rows;
  }
  return fetch(false);
}

async function textOf(ctx: Context, query: ListQuery, filter: Sql | null, rows: ListRow[]): Promise<string> {
  const isMemory = answersFromMemory(query, filter);
  if (isPlain(query) && !isMemory) return `[${rows.map(({ json }) => String(json)).join(',')}]`;
  await attachRows(ctx, query, rows, form(ctx, 'rows'));
  return JSON.stringify(presentRows(query, rows));
}

async function countRows(ctx: Context, query: ListQuery, filter: Sql | null, most: number): Promise<number> {
  if (answersFromMemory(query, filter)) return memoryCount(ctx, query);
  const statement = compileCappedCount(query, filter, ctx.db.dialect, most + 1);
  const row = await timed(ctx, query, 'count', () => ctx.db.get(statement));
  return Number(row?.['count'] ?? 0);
}
