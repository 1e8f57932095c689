import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { isRightToLeft, useLanguage } from '../base/i18n.ts';
import type { ListQuery } from '../data/documents.ts';
import { Grid, RowGroup } from './grid-parts.tsx';
import { ListCard } from './list-card.tsx';
import type { Column } from './list-columns.ts';
import { type Extent, MOST_ROWS, NO_EXTENT, reaching } from './list-extent.ts';
import css from './list-grid.module.css';
import { type ColumnActions, ListHeader } from './list-header.tsx';
import type { Row } from './list-requests.ts';
import { ListRow } from './list-row.tsx';
import type { OrderTerm } from './list-search.ts';
import { isChosen, isNothing, type Selection } from './list-selection.ts';
import { useListCursor } from './use-list-cursor.ts';
import { useListTitles } from './use-list-titles.ts';
import { type ListWindow, useExtent, useListWindow } from './use-list-window.ts';
import { useNarrow } from './use-narrow.ts';
import { usePlacedColumns } from './use-placed-columns.ts';

/** Actions of a list for the components around it. */
export interface ListGridHandle {
  readonly focus: () => void;
  /** Moves the active row, and selects the rows in between if asked to. */
  readonly move: (rows: number) => void;
  readonly toggle: () => void;
  readonly openActive: () => void;
  /** Counted from 0. */
  readonly goTo: (row: number) => void;
}

/** State of a list for the components around it. */
export interface ListStatus {
  readonly first: number;
  readonly last: number;
  readonly extent: Extent;
  readonly window: ListWindow;
}

export interface ListGridProps {
  readonly ref?: Ref<ListGridHandle>;
  readonly label: string;
  readonly doctype: string;
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly order: readonly OrderTerm[];
  readonly actions: ColumnActions;
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  readonly onOpen: (name: string) => void;
  /** Called when the user goes to the last row, which may be unknown. */
  readonly onEnd: () => Promise<number>;
  /** Shown instead of an empty list. */
  readonly whenEmpty: ReactNode;
  readonly whenFailed: (error: unknown, retry: () => void) => ReactNode;
  readonly footer: (status: ListStatus) => ReactNode;
}

const HEAD = 36;
const LINE = 36;
const CARD = 60;
/** Placeholder rows until the first page or count arrives. */
const EXPECTED = 20;

/** A virtualized list of a doctype's rows. Only visible rows and columns are mounted. */
export function ListGrid(props: ListGridProps) {
  const { ref, label, doctype, query, columns, order, actions, selection, onSelection, footer } = props;
  const isRtl = isRightToLeft(useLanguage());
  const isNarrow = useNarrow();
  const gridId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<number | null>(null);
  const known = useExtent(JSON.stringify([doctype, query.filters, query.or_filters]));
  const [extent, changeExtent] = known;
  const isFirstTime = extent === NO_EXTENT;
  const count = isFirstTime ? EXPECTED : Math.min(extent.rows, MOST_ROWS);
  const head = isNarrow ? 0 : HEAD;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD : LINE),
    paddingStart: head,
    scrollPaddingStart: head,
    overscan: 4,
  });
  const items = rows.getVirtualItems();
  const start = items[0]?.index ?? 0;
  const end = (items.at(-1)?.index ?? EXPECTED - 1) + 1;
  const window = useListWindow(doctype, query, { start, end }, known);
  const { rowAt } = window;
  useEffect(() => {
    if (isNarrow !== undefined) rows.measure();
  }, [isNarrow, rows]);

  const { placed, width, scrollTo } = usePlacedColumns(scroller, columns, isRtl);
  const { titleOf, keyOf } = useListTitles(
    columns,
    items.map((item) => rowAt(item.index)),
  );
  const cursor = useListCursor({
    window,
    columns: isNarrow ? 1 : columns.length,
    count,
    isRtl,
    selection,
    onSelection,
    onOpen: props.onOpen,
    onHead: (column, isAdding) => {
      const name = columns[column]?.field.fieldname;
      if (name !== undefined) actions.sort(name, { isAdding });
    },
    page: () =>
      Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - head) / (isNarrow ? CARD : LINE)) - 1),
    hasHead: !isNarrow,
    show: (row, column) => {
      if (row >= count) setTarget(row);
      else if (row >= 0) rows.scrollToIndex(row, { align: 'auto' });
      scrollTo(column);
    },
    onEnd: props.onEnd,
    openMenu: (column) => {
      const menu = document
        .getElementById(`${gridId}--1-${column}`)
        ?.querySelector<HTMLButtonElement>('[aria-haspopup]');
      menu?.focus();
      // Deferred, so that the current click does not also reach the menu.
      setTimeout(() => menu?.click());
    },
  });
  const { active } = cursor;
  // Goes to a row beyond the known ones as soon as it is known.
  useEffect(() => {
    if (target === null || target >= count) return;
    rows.scrollToIndex(target, { align: 'auto' });
    setTarget(null);
  }, [target, count, rows]);
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    move: (by) => {
      scroller.current?.focus();
      cursor.move(by, 0, false);
    },
    toggle: () => cursor.toggle(),
    openActive: () => cursor.open(),
    goTo: (row) => {
      changeExtent((before) => reaching(before, row));
      scroller.current?.focus();
      cursor.goTo(row);
    },
  }));

  const isEmpty = count === 0 && !isFirstTime;
  const first = isEmpty ? 0 : firstSeen(rows.scrollOffset ?? 0, isNarrow ? CARD : LINE) + 1;
  const seen = Math.max(
    1,
    Math.floor(((scroller.current?.clientHeight ?? 720) - head) / (isNarrow ? CARD : LINE)),
  );
  const activeId =
    active.row < 0 || rowMounted(items, active.row) ? `${gridId}-${active.row}-${active.column}` : undefined;
  const shared = (index: number, top: number, row: Row | undefined) => ({
    doctype,
    gridId,
    index,
    top,
    row,
    isSelected: row !== undefined && isChosen(selection, String(row['name'])),
    activeColumn: active.row === index ? active.column : -1,
    titleOf,
    titles: keyOf(row),
  });
  return (
    <div className={css['frame']}>
      {window.error !== null && props.whenFailed(window.error, window.retry)}
      {isEmpty && window.error === null && props.whenEmpty}
      <Grid
        ref={scroller}
        tabIndex={0}
        aria-label={label}
        aria-multiselectable
        aria-rowcount={extent.isExact ? extent.rows + (isNarrow ? 0 : 1) : -1}
        aria-colcount={isNarrow ? 1 : columns.length + 1}
        aria-busy={window.isFetching}
        aria-activedescendant={isEmpty ? undefined : activeId}
        className={css['grid']}
        hidden={isEmpty || (window.error !== null && isFirstTime)}
        onKeyDown={cursor.onKeyDown}
        onClick={(event) => cursor.onPress(placeOfPress(event), event)}
        onDoubleClick={(event) => cursor.onDoublePress(placeOfPress(event))}
      >
        {!isNarrow && (
          <RowGroup className={css['headGroup']} style={{ width }}>
            <ListHeader
              gridId={gridId}
              width={width}
              columns={columns}
              placed={placed}
              order={order}
              actions={actions}
              selected={
                isNothing(selection)
                  ? 'none'
                  : selection.mode === 'all' && selection.names.size === 0
                    ? 'all'
                    : 'some'
              }
              onSelectAll={cursor.selectAll}
              activeColumn={active.row === -1 ? active.column : -1}
            />
          </RowGroup>
        )}
        <RowGroup
          className={css['body']}
          style={{ height: rows.getTotalSize() - head, width: isNarrow ? undefined : width }}
        >
          {items.map((item) =>
            isNarrow ? (
              <ListCard
                key={item.key}
                {...shared(item.index, item.start, rowAt(item.index))}
                columns={columns}
              />
            ) : (
              <ListRow
                key={item.key}
                {...shared(item.index, item.start - head, rowAt(item.index))}
                width={width}
                placed={placed}
              />
            ),
          )}
        </RowGroup>
      </Grid>
      {footer({ first, last: Math.min(count, first + seen - 1), extent, window })}
    </div>
  );
}

function firstSeen(offset: number, height: number): number {
  return Math.max(0, Math.round(offset / height));
}

function rowMounted(items: readonly { readonly index: number }[], row: number): boolean {
  return items.some((item) => item.index === row);
}

/** The clicked part of the grid: a row, a column or a checkbox; null elsewhere. */
function placeOfPress(event: MouseEvent): { row: number; column: number; isSelect: boolean } | null {
  const target = event.target instanceof Element ? event.target : null;
  const row = target?.closest('[data-row]')?.getAttribute('data-row');
  if (row === undefined || row === null || target === null) return null;
  const column = target.closest('[data-column]')?.getAttribute('data-column');
  return {
    row: Number(row),
    column: Number(column ?? 0),
    isSelect: target.closest('[data-select]') !== null,
  };
}
