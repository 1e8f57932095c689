import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ListQuery } from '../../data/documents.ts';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { PAGE, pagesBetween } from '../../grid/list-extent.ts';
import type { Row } from '../../grid/list-requests.ts';

/** Milliseconds that a page must stay in view before it is requested. */
const SETTLE = 40;

/** Loads the pages of rows that are in view. Rows are undefined while they load. */
export function usePagedRows(doctype: string, query: ListQuery, start: number, end: number) {
  const pages = useSettled(pagesBetween(start, Math.max(start + 1, end)).join());
  const keyOf = (page: number) =>
    keys.list(doctype, { ...query, limit_start: page * PAGE, limit_page_length: PAGE });
  const results = useQueries({
    queries: pages.split(',').map((page) => ({
      queryKey: keyOf(Number(page)),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        listRows(
          doctype,
          { ...query, limit_start: Number(page) * PAGE, limit_page_length: PAGE },
          { signal },
        ),
      gcTime: 60_000,
    })),
  });
  const failed = results.find(({ isError, data }) => isError && !data);
  return {
    rowAt: (index: number): Row | undefined =>
      queryClient.getQueryData<readonly Row[]>(keyOf(Math.floor(index / PAGE)))?.[index % PAGE],
    error: failed?.error ?? null,
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}

function useSettled(pages: string): string {
  const [settled, setSettled] = useState(pages);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(pages), SETTLE);
    return () => clearTimeout(timer);
  }, [pages]);
  return settled;
}
