import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '../../base/commands.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useGo, useRouteParams } from '../../base/navigation.tsx';
import { hrefOf, paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { usePart } from '../../base/use-part.ts';
import { useUser } from '../../data/boot.ts';
import { rememberList } from '../../data/last-list.ts';
import { queryClient } from '../../data/query-client.ts';
import { movedColumn } from '../../grid/list-columns.ts';
import { ListGrid, type ListGridHandle } from '../../grid/list-grid.tsx';
import type { ColumnActions } from '../../grid/list-header.tsx';
import { toggledOrder } from '../../grid/list-search.ts';
import { isNothing, NOTHING, type Selection } from '../../grid/list-selection.ts';
import { countAll, countQuery } from '../../grid/use-list-window.ts';
import { may } from '../../meta/permissions.ts';
import { useMeta } from '../../meta/use-meta.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import type { BulkAction } from './bulk-action.ts';
import { FilterChips } from './filter-chips.tsx';
import { emptyCondition, filterFields } from './filter-fields.ts';
import { ListEmpty } from './list-empty.tsx';
import { ListFooter } from './list-footer.tsx';
import css from './list-screen.module.css';
import { ListToolbar } from './list-toolbar.tsx';
import type { SavedView } from './saved-views.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useDefaultView } from './use-default-view.ts';
import { useListState } from './use-list-state.ts';
import { useLiveChanges } from './use-live-changes.ts';

/** The records of a doctype. */
export function Screen() {
  const { doctype = '' } = useRouteParams();
  return <ListOrSingle key={doctype} doctype={doctype} />;
}

function ListOrSingle({ doctype }: { readonly doctype: string }) {
  const { meta } = useMeta(doctype);
  return meta.issingle ? <ToSingle doctype={doctype} /> : <RecordList doctype={doctype} />;
}

// A Single has only one document, so its form opens.
function ToSingle({ doctype }: { readonly doctype: string }) {
  const go = useGo();
  useEffect(() => go(paths.record(doctype, doctype), { isReplacing: true }), [doctype, go]);
  return null;
}

const loadBulk = async () => (await import('./bulk-dialog.tsx')).BulkDialog;
const loadExport = async () => (await import('./export-dialog.tsx')).ExportDialog;

function RecordList({ doctype }: { readonly doctype: string }) {
  const bundle = useMeta(doctype);
  const { meta } = bundle;
  const user = useUser();
  const go = useGo();
  const state = useListState(meta);
  const { search, change, fields, shown, columns, order, query, layout, setLayout } = state;
  const filterable = useMemo(() => filterFields(bundle, user), [bundle, user]);
  const grid = useRef<ListGridHandle>(null);
  const [isFiltering, setFiltering] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const [action, setAction] = useState<BulkAction | null>(null);
  const BulkDialog = usePart(action !== null, loadBulk);
  const ExportDialog = usePart(isExporting, loadExport);
  const total = useQuery(countQuery(doctype, query)).data;
  const { changes, refresh } = useLiveChanges(doctype);
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
  });

  const canCreate = may(doctype, 'create');
  const create = () => go(paths.newRecord(doctype));
  const title = t(doctype);
  useShortcut('list', 'j', t('Next row (↓)'), () => grid.current?.move(1));
  useShortcut('list', 'k', t('Previous row (↑)'), () => grid.current?.move(-1));
  useShortcut('list', 'x', t('Select row (Space)'), () => grid.current?.toggle());
  useShortcut('list', '/', t('Filter'), () => setFiltering(true));
  useShortcut('list', 'r', t('Refresh'), () => void refresh());
  useShortcut('list', 'n', t('New'), create, { isOn: canCreate });
  useCommands([
    {
      id: 'list.export',
      label: t('Export these records'),
      group: t('Actions'),
      run: () => setExporting(true),
    },
    {
      id: 'list.filter',
      label: t('Filter these records'),
      group: t('Actions'),
      run: () => setFiltering(true),
    },
  ]);

  const actions: ColumnActions = {
    sort: (name, options) => change({ order: toggledOrder(order, name, options) }),
    order: (field, isDescending) => change({ order: [{ field, isDescending }] }),
    filter: (name) => {
      change({ filters: [...search.filters, emptyCondition(filterable, name)] });
      setFiltering(true);
    },
    pin: (name, isPinned) =>
      setLayout({
        ...layout,
        pinned: isPinned ? [...layout.pinned, name] : layout.pinned.filter((one) => one !== name),
      }),
    move: (name, to) =>
      change({
        columns: movedColumn(
          columns.map((one) => one.field.fieldname),
          name,
          to,
        ),
      }),
    resize: (name, width) => {
      const { [name]: _before, ...widths } = layout.widths;
      setLayout({ ...layout, widths: width === null ? widths : { ...widths, [name]: width } });
    },
    hide: (name) => change({ columns: shown.filter((one) => one !== name) }),
  };
  const goTo = async (row: number) => {
    // The first rows can arrive before their count.
    const known = total ?? (await queryClient.ensureQueryData(countQuery(doctype, query)));
    const isBeyond = known.isCapped && row >= known.count;
    const count = isBeyond ? await countAll(doctype, query) : known.count;
    const target = Math.min(row, count - 1);
    grid.current?.goTo(target);
    return target;
  };
  return (
    <Page
      title={title}
      isFull
      trail={[{ label: t('Doctypes'), path: paths.doctypes() }]}
      beside={total && <Muted>{`(${formatNumber(total.count)}${total.isCapped ? '+' : ''})`}</Muted>}
      actions={
        canCreate && (
          <Button kind="primary" icon="plus" onClick={create}>
            {t('New')}
          </Button>
        )
      }
    >
      <div className={css['list']}>
        <ListToolbar
          {...{ meta, search, fields, shown, order, query, isFiltering }}
          filterFields={filterable}
          onChange={change}
          onFiltering={setFiltering}
          onView={chooseView}
          onRefresh={() => void refresh()}
          onExport={() => setExporting(true)}
        />
        {!search.isWhole && (
          <Alert tone="warning">
            {t('Some filters in this address are invalid and were ignored. The list may show too many rows.')}
          </Alert>
        )}
        <FilterChips
          search={search}
          fields={filterable}
          onChange={change}
          onEdit={() => setFiltering(true)}
        />
        {!isNothing(selection) && (
          <SelectionBar
            {...{ meta, selection, total }}
            onSelection={setSelection}
            onAct={setAction}
            onExport={() => setExporting(true)}
          />
        )}
        <ListGrid
          ref={grid}
          label={title}
          {...{ doctype, query, columns, order, actions, selection }}
          onSelection={setSelection}
          onOpen={(name) => go(paths.record(doctype, name))}
          onEnd={() => goTo(Number.MAX_SAFE_INTEGER)}
          whenEmpty={
            <ListEmpty
              {...{ doctype, search, canCreate }}
              fields={filterable}
              onClear={() => change({ filters: [], or: [], text: '' })}
            />
          }
          whenFailed={(error, retry) => <ErrorPanel error={error} onRetry={retry} />}
          footer={(status) => (
            <ListFooter
              {...{ status, changes }}
              onRefresh={() => void refresh()}
              onCount={() => countAll(doctype, query)}
              onGoTo={(row) => void goTo(row)}
            />
          )}
        />
      </div>
      {BulkDialog && action && (
        <BulkDialog
          {...{ action, meta, query, selection }}
          onClose={() => setAction(null)}
          onChanged={(names) => {
            setSelection(NOTHING);
            void refresh(names);
          }}
        />
      )}
      {ExportDialog && isExporting && (
        <ExportDialog {...{ doctype, query, selection, shown, fields }} onClose={() => setExporting(false)} />
      )}
    </Page>
  );
}

// A change of filters clears the selection, because it would contain invisible rows.
function useSelection(key: string): [Selection, (selection: Selection) => void] {
  const [held, setHeld] = useState({ key, selection: NOTHING });
  const set = useCallback((selection: Selection) => setHeld({ key, selection }), [key]);
  return [held.key === key ? held.selection : NOTHING, set];
}
