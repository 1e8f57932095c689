import { type ListQuery, resourcePath } from '../data/documents.ts';
import { send } from '../data/wire.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A page of rows and the cursor of the next page. */
export interface RowPage {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
  /** Makes the next page as fast as the first; null if the sort order supports none. */
  readonly cursor: string | null;
}

interface WirePage {
  readonly data: readonly Row[];
  readonly has_next_page?: boolean;
  readonly cursor?: string;
}

/** Fetches a page and the cursor of the next one. */
export async function fetchPage(doctype: string, query: ListQuery, signal?: AbortSignal): Promise<RowPage> {
  const { body } = await send('GET', resourcePath(doctype), {
    query: { ...query, include: 'cursor' },
    ...(signal ? { signal } : {}),
  });
  const { data, has_next_page: hasNext = false, cursor = null } = body as WirePage;
  return { rows: data, hasNext, cursor };
}

/** All rows of a query, page by page. */
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
