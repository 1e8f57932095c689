import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { countRows, listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import {
  AUDIT_FIELDS,
  type AuditEntry,
  type AuditFilters,
  auditFiltersOf,
  auditQuery,
  auditSearchOf,
} from './audit-data.ts';

const DOCTYPE = 'Audit Log';
/** Rows of a page. */
export const PAGE_LENGTH = 50;
/** The first page refreshes while it is visible; milliseconds. */
const EVERY = 10_000;

/** A page of the audit log, by the filters of the address. `events` limits it to some events. */
export function useAudit(events: readonly string[] | null) {
  const stated = useSearch(JSON.stringify);
  const search = JSON.parse(stated) as Readonly<Record<string, unknown>>;
  const setSearch = useSetSearch();
  const filters = auditFiltersOf(search);
  const page = Math.max(0, Math.floor(Number(search['page'] ?? 0)) || 0);
  // The time of a span moves on with each request, so the filters are the key.
  const key = [...keys.lists(DOCTYPE), 'audit', filters, events];
  const rows = useQuery({
    queryKey: [...key, page],
    queryFn: ({ signal }) => {
      const limits = { limit_start: page * PAGE_LENGTH, limit_page_length: PAGE_LENGTH };
      return listRows<AuditEntry>(DOCTYPE, { ...auditQuery(filters, events), ...limits }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: page === 0 ? EVERY : false,
  });
  const count = useQuery({
    queryKey: [...key, 'count'],
    queryFn: ({ signal }) => countRows(DOCTYPE, auditQuery(filters, events), { signal }),
  });
  const opened = typeof search['entry'] === 'string' ? search['entry'] : null;
  const onPage = rows.data?.find(({ name }) => name === opened);
  // Newer entries may have moved it to another page, and a link may lead to it.
  const elsewhere = useQuery({
    queryKey: [...keys.lists(DOCTYPE), 'audit entry', opened],
    queryFn: ({ signal }) =>
      listRows<AuditEntry>(
        DOCTYPE,
        { fields: AUDIT_FIELDS, filters: [['name', '=', opened]], limit_page_length: 1 },
        { signal },
      ),
    enabled: opened !== null && rows.isSuccess && !onPage,
  });
  return {
    filters,
    setFilters: (next: AuditFilters) => setSearch({ ...auditSearchOf(next), page: undefined }),
    page,
    setPage: (next: number) => setSearch({ page: next > 0 ? next : undefined }),
    rows,
    count: count.data,
    opened: onPage ?? elsewhere.data?.[0] ?? null,
    open: (name: string | null) => setSearch({ entry: name ?? undefined }),
    isFiltered: Object.values(filters).some(Boolean),
    query: () => auditQuery(filters, events),
  };
}

export type AuditView = ReturnType<typeof useAudit>;
