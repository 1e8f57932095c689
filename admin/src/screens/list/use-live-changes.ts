import { useCallback, useEffect, useRef, useState } from 'react';
import { type ListQuery, listRows } from '../../data/documents.ts';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { type ListNews, NO_NEWS, withChanges, withCondition } from '../../grid/list-news.ts';
import type { Row, RowPage } from '../../grid/list-requests.ts';

/** For this many milliseconds, an event can be the echo of the user's own change. */
const ECHO = 10_000;
/** Milliseconds in which changes are read together. */
const PAUSE = 300;
/** Changed documents that are read by name; with more, the list is loaded again on request. */
const MOST = 100;

/**
 * Keeps the rows of a list fresh while others change their documents: values change in place. What would move
 * rows is only told, and shown by `refresh`.
 */
export function useLiveChanges(doctype: string, query: ListQuery, orderedBy: readonly string[]) {
  const key = JSON.stringify([doctype, query]);
  const [held, setHeld] = useState({ key, news: NO_NEWS });
  const news = held.key === key ? held.news : NO_NEWS;
  const own = useRef<{ readonly names: ReadonlySet<string>; readonly until: number }>({
    names: new Set(),
    until: 0,
  });
  const pending = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  /** Loads the list again. Changes made in this list do not count as news. */
  const refresh = useCallback(
    async (names: readonly string[] = []) => {
      own.current = { names: new Set(names), until: performance.now() + ECHO };
      pending.current.clear();
      setHeld({ key, news: NO_NEWS });
      await queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
    },
    [doctype, key],
  );
  const tell = (change: (before: ListNews) => ListNews) =>
    setHeld((before) => ({ key, news: change(before.key === key ? before.news : NO_NEWS) }));
  const read = async () => {
    const names = [...pending.current];
    pending.current.clear();
    if (names.length > MOST) return tell((before) => ({ ...before, isUnknown: true }));
    try {
      const shown = shownRows(doctype, query);
      // An empty list has nothing that could move.
      if (shown.size === 0) return await refresh();
      const found = await currentRows(doctype, query, names);
      putInPlace(doctype, query, found);
      tell((before) => withChanges(before, names, { found, shown, orderedBy }));
    } catch {
      tell((before) => ({ ...before, isUnknown: true }));
    }
  };
  const latest = useRef(read);
  latest.current = read;
  useChanges([doctype], (change) => {
    if (change === null) return tell((before) => ({ ...before, isUnknown: true }));
    const { names, until } = own.current;
    if (names.has(change.name) && performance.now() < until) return;
    if (pending.current.size === 0) timer.current = setTimeout(() => void latest.current(), PAUSE);
    pending.current.add(change.name);
    if (change.old_name !== undefined) pending.current.add(change.old_name);
  });
  return { news, refresh };
}

async function currentRows(
  doctype: string,
  query: ListQuery,
  names: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const filters = withCondition(query.filters, ['name', 'in', names]);
  const rows = await listRows(doctype, { ...query, filters, limit_page_length: MOST });
  return new Map(rows.map((row) => [String(row['name']), row]));
}

/** The loaded pages of this query, whatever their place. */
function pagesOf(doctype: string, query: ListQuery) {
  const asked = JSON.stringify(query);
  const isSame = (of: unknown) => {
    const { limit_start: start, ...rest } = (of ?? {}) as ListQuery;
    return start !== undefined && JSON.stringify(rest) === asked;
  };
  return queryClient.getQueriesData<RowPage>({
    queryKey: keys.lists(doctype),
    predicate: ({ queryKey }) => queryKey[2] === 'rows' && isSame(queryKey[3]),
  });
}

function shownRows(doctype: string, query: ListQuery): ReadonlyMap<string, Row> {
  const rows = pagesOf(doctype, query).flatMap(([, page]) => page?.rows ?? []);
  return new Map(rows.map((row) => [String(row['name']), row]));
}

function putInPlace(doctype: string, query: ListQuery, found: ReadonlyMap<string, Row>): void {
  for (const [queryKey, page] of pagesOf(doctype, query))
    if (page?.rows.some((row) => found.has(String(row['name']))))
      queryClient.setQueryData<RowPage>(queryKey, {
        ...page,
        rows: page.rows.map((row) => found.get(String(row['name'])) ?? row),
      });
}
