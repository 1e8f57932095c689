import { type ListQuery, resourcePath } from '../data/documents.ts';
import { send } from '../data/wire.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Some rows of a list, and where the next ones begin. */
export interface RowPage {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  /** Asks for the next page as fast as for the first; null where the order has none. */
  readonly cursor: string | null;
}

interface WirePage {
  readonly data: readonly Row[];
  readonly has_next_page?: boolean;
  readonly cursor?: string;
}

/** One page, with what is needed for the next. */
export async function fetchPage(doctype: string, query: ListQuery, signal?: AbortSignal): Promise<RowPage> {
  const { body } = await send('GET', resourcePath(doctype), {
    query: { ...query, include: 'cursor' },
    ...(signal ? { signal } : {}),
  });
  const { data, has_next_page: hasNext = false, cursor = null } = body as WirePage;
  return { rows: data, hasNext, cursor };
}

/** All rows of a query in pages, from the first to the last. */
export async function* eachPage(
  doctype: string,
  query: ListQuery,
  length: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let place: ListQuery = {};
  for (let start = 0; ; start += length) {
    const page = await fetchPage(doctype, { ...query, limit_page_length: length, ...place }, signal);
    yield page.rows;
    if (!page.hasNext) return;
    place = page.cursor === null ? { limit_start: start + length } : { after: page.cursor };
  }
}
