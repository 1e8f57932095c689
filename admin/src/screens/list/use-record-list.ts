import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useGo } from '../../base/navigation.tsx';
import { hrefOf, paths } from '../../base/paths.ts';
import { useUser } from '../../data/boot.ts';
import { rememberList } from '../../data/last-list.ts';
import { queryClient } from '../../data/query-client.ts';
import type { ListGridHandle } from '../../grid/list-grid-props.ts';
import type { OrderTerm } from '../../grid/list-search.ts';
import { NOTHING, type Selection } from '../../grid/list-selection.ts';
import { countAll, countQuery } from '../../grid/use-list-window.ts';
import { may } from '../../meta/permissions.ts';
import { useMeta } from '../../meta/use-meta.ts';
import type { BulkAction } from './bulk-action.ts';
import { filterFields } from './filter-fields.ts';
import type { SavedView } from './saved-views.ts';
import { useDefaultView } from './use-default-view.ts';
import { useListState } from './use-list-state.ts';
import { useLiveChanges } from './use-live-changes.ts';
import { useViewType } from './use-view-type.ts';

export type RecordListState = ReturnType<typeof useRecordList>;

/** Everything that the parts of a list share: its query, its selection, its open dialogs. */
export function useRecordList(doctype: string) {
  const bundle = useMeta(doctype);
  const { meta } = bundle;
  const user = useUser();
  const go = useGo();
  const state = useListState(meta);
  const { search, change, query } = state;
  const views = useViewType(state, doctype);
  const filterable = useMemo(() => filterFields(bundle, user), [bundle, user]);
  const grid = useRef<ListGridHandle>(null);
  const [isFiltering, setFiltering] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const [action, setAction] = useState<BulkAction | null>(null);
  const total = useQuery(countQuery(doctype, query)).data;
  const live = useLiveChanges(doctype, query, orderFields(state.order));
  const [selection, setSelection] = useSelection(JSON.stringify([query.filters, query.or_filters]));
  // Records step through the list that they were opened from. When one opens, this component still renders
  // once without the list's address.
  useEffect(() => {
    if (location.pathname === hrefOf(paths.list(doctype))) rememberList(doctype, query);
  }, [doctype, query]);
  const chooseView = useCallback(
    (view: SavedView | null) =>
      change(
        view
          ? { ...view.search, text: '', view: view.name }
          : { filters: [], or: [], order: [], columns: null, text: '', view: null },
        { isReplacing: false },
      ),
    [change],
  );
  useDefaultView({
    doctype,
    search,
    isBare: state.isBare,
    onChoose: (view) => change({ ...view.search, view: view.name }),
    onRemembered: (as, settings) => change({ as, settings }),
  });
  const goTo = async (row: number) => {
    // The first rows can arrive before their count.
    const known = total ?? (await queryClient.ensureQueryData(countQuery(doctype, query)));
    const isBeyond = known.isCapped && row >= known.count;
    const count = isBeyond ? await countAll(doctype, query) : known.count;
    const target = Math.min(row, count - 1);
    grid.current?.goTo(target);
    return target;
  };
  return {
    ...{ doctype, bundle, meta, state, views, filterable, grid, total, goTo, chooseView },
    ...live,
    ...{ isFiltering, setFiltering, isExporting, setExporting, action, setAction, selection, setSelection },
    canCreate: may(doctype, 'create'),
    canImport: may(doctype, 'import') && !meta.is_virtual,
    startImport: () => go(paths.importInto(doctype)),
    create: () => go(paths.newRecord(doctype)),
  };
}

// The server's own order is that of the last change.
function orderFields(order: readonly OrderTerm[]): readonly string[] {
  return order.length > 0 ? order.map(({ field }) => field) : ['modified'];
}

// A change of filters clears the selection, because it would contain invisible rows.
function useSelection(key: string): [Selection, (selection: Selection) => void] {
  const [held, setHeld] = useState({ key, selection: NOTHING });
  const set = useCallback((selection: Selection) => setHeld({ key, selection }), [key]);
  return [held.key === key ? held.selection : NOTHING, set];
}
