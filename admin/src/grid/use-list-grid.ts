import { useId, useImperativeHandle, useRef } from 'react';
import { flushSync } from 'react-dom';
import { isRightToLeft, useLanguage } from '../base/i18n.ts';
import { reaching } from './list-extent.ts';
import type { ListGridProps } from './list-grid-props.ts';
import type { Row } from './list-requests.ts';
import { isChosen } from './list-selection.ts';
import { useListCursor } from './use-list-cursor.ts';
import { useListTitles } from './use-list-titles.ts';
import { useExtent, useListWindow } from './use-list-window.ts';
import { useNarrow } from './use-narrow.ts';
import { usePlacedColumns } from './use-placed-columns.ts';
import { useRowScroll } from './use-row-scroll.ts';

/** State of a list grid: the mounted rows and columns, the cursor, and the properties of each row. */
export function useListGrid(props: ListGridProps) {
  const { ref, doctype, query, actions, selection, onSelection } = props;
  const isRtl = isRightToLeft(useLanguage());
  const isNarrow = useNarrow();
  const gridId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const known = useExtent(JSON.stringify([doctype, query.filters, query.or_filters]));
  const [extent, changeExtent] = known;
  const scroll = useRowScroll(scroller, extent, isNarrow);
  const window = useListWindow(doctype, query, scroll, known);
  const { columns, placed, width, scrollTo } = usePlacedColumns(scroller, props.columns, isRtl);
  const rows = scroll.items.map((item) => window.rowAt(item.index));
  const { titleOf, keyOf } = useListTitles(columns, rows);
  const cursor = useListCursor({
    window,
    columns: isNarrow ? 1 : columns.length,
    count: scroll.count,
    isRtl,
    selection,
    onSelection,
    onOpen: props.onOpen,
    onHead: (column, isAdding) => {
      const name = columns[column]?.field.fieldname;
      if (name !== undefined) actions.sort(name, { isAdding });
    },
    page: scroll.page,
    hasHead: !isNarrow,
    show: (row, column) => {
      scroll.show(row);
      scrollTo(column);
    },
    onEnd: props.onEnd,
    openMenu: (column) => openMenuOf(`${gridId}--1-${column}`),
  });
  const { active } = cursor;
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    move: (by) => {
      scroller.current?.focus();
      cursor.move(by, 0, false);
    },
    toggle: () => cursor.toggle(),
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    goTo: (row) => {
      scroller.current?.focus();
      // Otherwise a key that is pressed before React renders would act on the former row.
      flushSync(() => {
        changeExtent((before) => reaching(before, row));
        cursor.goTo(row);
      });
    },
  }));

  const isMounted = active.row < 0 || scroll.items.some(({ index }) => index === active.row);
  return {
    ...{ scroller, scroll, window, extent, cursor, gridId, isNarrow, columns, placed, width },
    activeId: isMounted && !scroll.isEmpty ? `${gridId}-${active.row}-${active.column}` : undefined,
    rowProps: (index: number, top: number, row: Row | undefined) => ({
      doctype,
      gridId,
      index,
      top,
      row,
      isSelected: row !== undefined && isChosen(selection, String(row['name'])),
      activeColumn: active.row === index ? active.column : -1,
      titleOf,
      titles: keyOf(row),
    }),
  };
}

function openMenuOf(head: string): void {
  const menu = document.getElementById(head)?.querySelector<HTMLButtonElement>('[aria-haspopup]');
  menu?.focus();
  // Deferred, so that the current click does not also reach the menu.
  setTimeout(() => menu?.click());
}
