import type { Connection } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { jsonText } from '../../kernel/json-text.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import { compileCappedCount } from '../../query/compile-count.ts';
import { keysOfRow } from '../../query/compile-keyset.ts';
import { isAbsent, jsonParameter } from '../../query/json-parameter.ts';
import type { ListParameters, ListQuery } from '../../query/list-query.ts';
import { isPlain, type ListRow, presentRows } from '../../query/present-rows.ts';
import type { Context } from '../contract.ts';
import { attachRows } from './attach-rows.ts';
import { parseCursor, writeCursor } from './cursor.ts';
import { estimateRows } from './estimate-rows.ts';
import { allowedList } from './list.ts';
import { form, type Page, pageRows, rowsText } from './list-rows.ts';
import { isListOfDocuments, type ListText, streamList } from './list-stream.ts';
import { answersFromMemory, memoryCount, memoryRows } from './memory-list.ts';
import { noteExport } from './note-export.ts';
import { timed } from './slow-query.ts';

/** One page of a list, and what follows it. */
export interface ListPage {
  readonly json: ListText;
  readonly hasNextPage: boolean;
  /**
   * For `after` of the next page: reads it as fast as the first, and repeats no row when others are inserted.
   * Null on the last page, and where rows are not single documents (groups, child rows, virtual doctypes).
   */
  readonly cursor: string | null;
  /** Rows on all pages, on request by `include=count` or `count=exact`; otherwise null. */
  readonly count: number | null;
  /** The exact number is above `count`. */
  readonly countCapped: boolean;
  /** The database's estimate of a number above `count`; null without one. */
  readonly countEstimate: number | null;
}

/**
 * A page of a list: `after` is the cursor of the previous page; `include=count` counts up to a cap,
 * `count=exact` all. The rows perhaps come from `replica`.
 * @throws ServiceError as `listDocuments`, and ValidationError for a cursor of another list
 */
export async function listPage(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  replica: Connection | null = null,
): Promise<ListPage> {
  const { from, query, filter } = allowedList(ctx, doctypeName, parameters, { replica });
  await noteExport(ctx, query);
  const counting = parseCounting(parameters);
  const hasKeys = isListOfDocuments(query, filter);
  if (!isAbsent(parameters['after']) && !hasKeys) {
    throw new ServiceError('ValidationError', 'after needs a list of documents: use limit_start here');
  }
  const after = isAbsent(parameters['after']) ? null : parseCursor(ctx.site, query, parameters['after']);
  const most = counting === 'exact' ? Number.MAX_SAFE_INTEGER - 1 : LIMITS.countCap;
  const found = counting === 'none' ? null : await countUpTo(from, query, filter, most);
  const count = found === null ? null : Math.min(found, most);
  const countCapped = found !== null && found > most;
  const countEstimate = countCapped ? await estimateRows(from, query, filter, found, most) : null;
  const { json, hasNextPage, last } = await readPage(
    from,
    query,
    filter,
    hasKeys ? { keys: true, after } : null,
  );
  const cursor = hasNextPage && hasKeys && last ? writeCursor(ctx.site, query, keysOfRow(query, last)) : null;
  return { json, hasNextPage, cursor, count, countCapped, countEstimate };
}

interface PageRead {
  readonly json: ListText;
  readonly hasNextPage: boolean;
  /** With the sort keys, if the list has any. */
  readonly last: ListRow | undefined;
}

async function readPage(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  page: Page | null,
): Promise<PageRead> {
  if (query.limit !== null || !page || !isPlain(query)) {
    try {
      return await readWhole(ctx, query, filter, page ?? { keys: false, after: null });
    } catch (error) {
      if (!(error instanceof TooLarge && page)) throw error;
    }
  }
  const { pieces, ...more } = await streamList(ctx, query, filter, page);
  return { json: pieces, ...more };
}

async function readWhole(ctx: Context, query: ListQuery, filter: Sql | null, page: Page): Promise<PageRead> {
  // One row more than asked for, to see whether more follow.
  const { limit } = query;
  const longer: ListQuery = { ...query, limit: limit === null ? null : limit + 1 };
  const isMemory = answersFromMemory(query, filter);
  const rows: ListRow[] = isMemory
    ? await memoryRows(ctx, longer)
    : await pageRows(ctx, longer, filter, isPlain(query) ? 'json' : 'rows', page);
  const hasNextPage = limit !== null && rows.length > limit;
  if (hasNextPage) rows.length = limit;
  if (!isMemory) return { json: `[${await rowsText(ctx, query, rows)}]`, hasNextPage, last: rows.at(-1) };
  await attachRows(ctx, query, rows, form(ctx, 'rows'));
  return { json: jsonText(presentRows(query, rows)), hasNextPage, last: undefined };
}

function parseCounting({ include, count }: ListParameters): 'none' | 'capped' | 'exact' {
  if (!isAbsent(count)) {
    if (count === 'exact') return 'exact';
    throw new ServiceError('ValidationError', 'count can only be "exact"');
  }
  const wanted = isAbsent(include) ? null : jsonParameter('include', include);
  if (wanted === null) return 'none';
  const names = typeof wanted === 'string' ? wanted.split(',').map((name) => name.trim()) : wanted;
  // Every page has a cursor; a request for it alone turns a plain list into a page.
  if (!Array.isArray(names) || names.some((name) => name !== 'count' && name !== 'cursor')) {
    throw new ServiceError('ValidationError', 'include can be "count", "cursor" or both');
  }
  return names.includes('count') ? 'capped' : 'none';
}

async function countUpTo(ctx: Context, query: ListQuery, filter: Sql | null, most: number): Promise<number> {
  if (answersFromMemory(query, filter)) return memoryCount(ctx, query);
  const statement = compileCappedCount(query, filter, ctx.db.dialect, most + 1);
  const row = await timed(ctx, query, 'count', () => ctx.db.get(statement));
  return Number(row?.['count'] ?? 0);
}
