import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type DragEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react';
import { isRightToLeft, useLanguage } from '../../base/i18n.ts';
import { MOST_ROWS, NO_EXTENT } from '../../grid/list-extent.ts';
import { countAll, useExtent, useListWindow } from '../../grid/use-list-window.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { startDrag } from './dragged.ts';
import { useFileActions } from './file-actions.ts';
import type { FileBrowserProps } from './file-browser-props.ts';
import { countsQuery } from './file-data.ts';
import { type FileItem, itemOf } from './file-item.ts';
import { useFileCursor } from './use-file-cursor.ts';

/** Placeholder rows until the first page or count arrives. */
const EXPECTED = 8;
const SIZES = { row: 36, card: 56, tile: 172, tileWidth: 132, gap: 8 } as const;

/** The window of loaded files, the cursor in it, and the handlers of the whole grid. */
export function useFileGrid(props: FileBrowserProps) {
  const { search, chosen } = props;
  const actions = useFileActions();
  const gridId = useId();
  const files = useFileWindow(props);
  const { first, end, indices, itemAt, columns } = files;
  const counts = useCounts(indices.map(itemAt));
  const cursor = useCursor(props, files);
  const pressed = (event: MouseEvent | DragEvent) => itemAt(indexOf(event) ?? -1);
  const handlers = {
    onKeyDown: cursor.onKeyDown,
    onClick: (event: MouseEvent) => {
      const index = indexOf(event);
      if (index === null) return;
      if (isLink(event)) cursor.goTo(index);
      else cursor.onPress(index, event, isBox(event));
    },
    onDoubleClick: (event: MouseEvent) => {
      const item = pressed(event);
      if (item && !isBox(event)) actions.open(item);
    },
    onDragStart: (event: DragEvent) => {
      const item = pressed(event);
      if (item) startDrag(event, chosen.has(item.name) ? [...chosen.values()] : [item]);
    },
  };
  const isMounted = cursor.at >= first && cursor.at < end;
  const shared = (index: number) => {
    const item = itemAt(index);
    return {
      id: `${gridId}-${index}`,
      index,
      item,
      count: item?.isFolder ? (counts?.get(item.name) ?? (counts && EMPTY)) : undefined,
      isChosen: item !== undefined && chosen.has(item.name),
      isActive: index === cursor.at,
    };
  };
  return {
    ...files,
    columns,
    handlers,
    shared,
    isTiles: search.view === 'grid',
    active: isMounted ? `${gridId}-${cursor.at}` : undefined,
  };
}

type FileWindow = ReturnType<typeof useFileWindow>;

function useFileWindow({ query, search }: FileBrowserProps) {
  const isNarrow = useNarrow();
  const isTiles = search.view === 'grid';
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useColumns(scroller, isTiles);
  const known = useExtent(JSON.stringify(['File', query.filters]));
  const [extent] = known;
  const isFirstTime = extent === NO_EXTENT;
  const count = isFirstTime ? EXPECTED : Math.min(extent.rows, MOST_ROWS);
  const lines = Math.ceil(count / columns);
  const size = isTiles ? SIZES.tile : isNarrow ? SIZES.card : SIZES.row;
  const rows = useVirtualizer({
    count: lines,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    overscan: 4,
    scrollPaddingEnd: SIZES.gap,
  });
  const shown = rows.getVirtualItems();
  const first = (shown[0]?.index ?? 0) * columns;
  const end = Math.min(count, ((shown.at(-1)?.index ?? EXPECTED) + 1) * columns);
  const window = useListWindow('File', query, { start: first, end }, known);
  const itemAt = (index: number) => {
    const row = window.rowAt(index);
    return row && itemOf(row);
  };
  useEffect(() => {
    if (size > 0) rows.measure();
  }, [size, rows]);
  const indices = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return {
    isNarrow,
    scroller,
    columns,
    extent,
    isFirstTime,
    count,
    lines,
    size,
    rows,
    shown,
    first,
    end,
    window,
    itemAt,
    indices,
  };
}

function useCursor(props: FileBrowserProps, files: FileWindow) {
  const actions = useFileActions();
  const isRtl = isRightToLeft(useLanguage());
  const { columns, window, scroller, size, rows } = files;
  return useFileCursor({
    count: files.isFirstTime ? 0 : files.count,
    isCounted: files.extent.isExact,
    columns,
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / size) - 1),
    isRtl,
    itemAt: files.itemAt,
    itemsBetween: async (from, to) => (await window.rowsBetween(from, to)).map(itemOf),
    chosen: props.chosen,
    onChosen: props.onChosen,
    show: (index) => rows.scrollToIndex(Math.floor(index / columns)),
    onOpen: actions.open,
    onRename: (item) => actions.ask({ kind: 'rename', item }),
    onDelete: (items) => items.length > 0 && actions.ask({ kind: 'delete', items }),
    onUp: props.onUp,
    onAll: props.onChooseAll,
    onCount: () => countAll('File', props.query),
  });
}

function useColumns(scroller: { readonly current: HTMLElement | null }, isTiles: boolean): number {
  const [columns, setColumns] = useState(4);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isTiles) return;
    const measure = () =>
      setColumns(Math.max(1, Math.floor((element.clientWidth - SIZES.gap) / SIZES.tileWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
  return isTiles ? columns : 1;
}

function useCounts(items: readonly (FileItem | undefined)[]) {
  const folders = items.flatMap((item) => (item?.isFolder ? [item.name] : []));
  const { data } = useQuery({ ...countsQuery(folders), placeholderData: (before) => before });
  return data;
}

const EMPTY = { all: 0 };

function indexOf({ target }: MouseEvent | DragEvent): number | null {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row ? Number(row.getAttribute('data-index')) : null;
}

function isBox({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('[data-box]') !== null;
}

function isLink({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('a, button') !== null;
}
