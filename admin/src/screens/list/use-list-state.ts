import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useUser } from '../../data/boot.ts';
import type { ListQuery } from '../../data/documents.ts';
import {
  askedFields,
  type ColumnLayout,
  columnFields,
  columnsOf,
  NO_LAYOUT,
  searchedFields,
  usualColumns,
} from '../../grid/list-columns.ts';
import { wireFilters } from '../../grid/list-filters.ts';
import {
  type ListSearch,
  type OrderTerm,
  orderText,
  readListSearch,
  searchParameters,
} from '../../grid/list-search.ts';
import type { Meta } from '../../meta/meta.ts';

/** State of a list from the address, the doctype, and the column settings of this device. */
export function useListState(meta: Meta) {
  const user = useUser();
  const doctype = meta.name;
  const key = useSearch((search) => JSON.stringify(search));
  const search = useMemo(
    () => readListSearch(JSON.parse(key) as Record<string, unknown>, doctype),
    [key, doctype],
  );
  const setSearch = useSetSearch();
  const change = useCallback(
    (changes: Partial<ListSearch>, options?: { readonly isReplacing?: boolean }) =>
      setSearch(searchParameters({ ...search, ...changes }), options),
    [search, setSearch],
  );
  const fields = useMemo(() => columnFields(meta, user), [meta, user]);
  const shown = useMemo(() => search.columns ?? usualColumns(meta, fields), [search.columns, meta, fields]);
  const [layout, setLayout] = useColumnLayout(doctype);
  const columns = useMemo(() => columnsOf(fields, shown, layout), [fields, shown, layout]);
  const order = useMemo(() => orderShown(search.order, meta, fields), [search.order, meta, fields]);
  const query = useMemo(
    (): ListQuery => ({
      fields: askedFields(meta, columns, fields),
      ...wireFilters(search, searchedFields(meta, fields)),
      ...(order.length > 0 ? { order_by: orderText(order) } : {}),
    }),
    [meta, columns, fields, search, order],
  );
  return { search, change, isBare: key === '{}', fields, shown, columns, order, query, layout, setLayout };
}

// Column headers show the doctype's default order, too.
function orderShown(
  order: readonly OrderTerm[],
  meta: Meta,
  fields: readonly { readonly fieldname: string }[],
) {
  if (order.length > 0 || !fields.some((field) => field.fieldname === meta.sort_field)) return order;
  return [{ field: meta.sort_field, isDescending: meta.sort_order === 'desc' }];
}

const listeners = new Set<() => void>();
const layouts = new Map<string, ColumnLayout>();

/** Column widths and pinned columns of a doctype, stored on this device. */
function useColumnLayout(doctype: string): [ColumnLayout, (layout: ColumnLayout) => void] {
  const layout = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => storedLayout(doctype),
  );
  const set = useCallback(
    (next: ColumnLayout) => {
      layouts.set(doctype, next);
      try {
        localStorage.setItem(storageKey(doctype), JSON.stringify(next));
      } catch {
        // Storage is full or forbidden: the setting lasts until the page is closed.
      }
      for (const listener of [...listeners]) listener();
    },
    [doctype],
  );
  return [layout, set];
}

function storedLayout(doctype: string): ColumnLayout {
  const known = layouts.get(doctype);
  if (known) return known;
  const layout = readLayout(doctype);
  layouts.set(doctype, layout);
  return layout;
}

function readLayout(doctype: string): ColumnLayout {
  try {
    const { widths, pinned } = JSON.parse(
      localStorage.getItem(storageKey(doctype)) ?? '{}',
    ) as Partial<ColumnLayout>;
    return {
      widths: Object.fromEntries(
        Object.entries(widths ?? {}).filter(([, width]) => typeof width === 'number'),
      ),
      pinned: Array.isArray(pinned) ? pinned.map(String) : [],
    };
  } catch {
    return NO_LAYOUT;
  }
}

function storageKey(doctype: string): string {
  return `chancery.columns.${doctype}`;
}
