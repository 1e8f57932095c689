import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { countRows, type ListQuery } from '../data/documents.ts';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { arrived, counted, type Extent, NO_EXTENT, PAGE, pagesBetween } from './list-extent.ts';
import { fetchPage, type Row, type RowPage } from './list-requests.ts';

/** The visible rows of a list. */
export interface ListWindow {
  /** Undefined while it loads. */
  readonly rowAt: (index: number) => Row | undefined;
  /** The rows of a range. Requests the missing ones. */
  readonly rowsBetween: (start: number, end: number) => Promise<readonly Row[]>;
  readonly isFetching: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * From this row on, pages are requested by the previous page's cursor if it is known: large offsets are slow.
 */
const DEEP = 10_000;
/**
 * Milliseconds that a page must stay in view before it is requested, so that dragging the scroll bar requests
 * no pages on the way.
 */
const SETTLE = 40;

/**
 * Loads the pages of a query that are in view. `start` and `end` are the visible rows, `extent` comes from
 * `useExtent`.
 */
export function useListWindow(
  doctype: string,
  query: ListQuery,
  { start, end }: { readonly start: number; readonly end: number },
  [extent, changeExtent]: ReturnType<typeof useExtent>,
): ListWindow {
  const inView = pagesBetween(start, Math.max(start + 1, Math.min(end, Math.max(extent.rows, 1))));
  const asked = useSettled(inView);

  const results = useQueries({
    queries: asked.map((page) => ({
      queryKey: pageKey(doctype, query, page),
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchWindow(doctype, query, page, signal),
      gcTime: 60_000,
    })),
  });
  const count = useQuery(countQuery(doctype, query));

  const { data: total } = count;
  useEffect(() => {
    if (total) changeExtent((before) => counted(before, total.count, total.isCapped));
  }, [total, changeExtent]);
  // Loaded pages. The last one can show where the list ends.
  const arrivals = results
    .map(({ data }, at) => (data ? `${asked[at]}:${data.rows.length}:${data.hasNext}` : ''))
    .join();
  useEffect(() => {
    for (const arrival of arrivals.split(',').filter(Boolean)) {
      const [page, length, hasNext] = arrival.split(':');
      changeExtent((before) => arrived(before, Number(page), Number(length), hasNext === 'true'));
    }
  }, [arrivals, changeExtent]);

  const held = new Map(
    inView.map((page) => [page, queryClient.getQueryData<RowPage>(pageKey(doctype, query, page))] as const),
  );
  const rowAt = (index: number) => {
    const page = Math.floor(index / PAGE);
    const rows = held.has(page)
      ? held.get(page)
      : queryClient.getQueryData<RowPage>(pageKey(doctype, query, page));
    return rows?.rows[index % PAGE];
  };
  const failed = results.find((one) => one.isError && !one.data);
  return {
    rowAt,
    rowsBetween: async (from, to) => {
      const pages = await Promise.all(
        pagesBetween(from, to).map((page) =>
          queryClient.ensureQueryData({
            queryKey: pageKey(doctype, query, page),
            queryFn: ({ signal }) => fetchWindow(doctype, query, page, signal),
          }),
        ),
      );
      const skipped = Math.floor(from / PAGE) * PAGE;
      return pages.flatMap((page) => page.rows).slice(from - skipped, to - skipped);
    },
    isFetching: results.some((one) => one.isFetching),
    error: failed?.error ?? null,
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
      if (count.isError) void count.refetch();
    },
  };
}

/** Query of the number of matching rows, capped until `countAll` runs. */
export function countQuery(doctype: string, query: ListQuery) {
  return queryOptions({
    queryKey: keys.count(doctype, query),
    queryFn: ({ signal }) => countRows(doctype, query, { signal }),
  });
}

/** Counts all rows and updates the count that screens show. */
export async function countAll(doctype: string, query: ListQuery): Promise<number> {
  const total = await countRows(doctype, query, { exact: true });
  const queryKey = keys.count(doctype, query);
  // Otherwise a capped count in flight would overwrite this one.
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData(queryKey, { ...total, isCapped: false });
  return total.count;
}

async function fetchWindow(
  doctype: string,
  query: ListQuery,
  page: number,
  signal: AbortSignal,
): Promise<RowPage> {
  const start = page * PAGE;
  const before =
    start >= DEEP ? queryClient.getQueryData<RowPage>(pageKey(doctype, query, page - 1)) : undefined;
  const place = before?.cursor ? { after: before.cursor } : { limit_start: start };
  return fetchPage(doctype, { ...query, limit_page_length: PAGE, ...place }, signal);
}

function pageKey(doctype: string, query: ListQuery, page: number) {
  return keys.list(doctype, { ...query, limit_start: page * PAGE });
}

/** The known row count of a query, identified by `key`. */
export function useExtent(key: string): [Extent, (change: (before: Extent) => Extent) => void] {
  const [held, setHeld] = useState({ key, extent: NO_EXTENT });
  const change = useCallback(
    (next: (before: Extent) => Extent) =>
      setHeld((before) => {
        const from = before.key === key ? before.extent : NO_EXTENT;
        const extent = next(from);
        return before.key === key && extent === from ? before : { key, extent };
      }),
    [key],
  );
  return [held.key === key ? held.extent : NO_EXTENT, change];
}

function useSettled(pages: readonly number[]): readonly number[] {
  const key = pages.join();
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), SETTLE);
    return () => clearTimeout(timer);
  }, [key]);
  return useMemo(() => settled.split(',').map(Number), [settled]);
}
