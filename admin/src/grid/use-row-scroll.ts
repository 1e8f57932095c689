import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Extent, MOST_ROWS, NO_EXTENT } from './list-extent.ts';
import { recycled } from './row-keys.ts';

/** Height of the head and of a row in pixels. */
export const HEAD = 36;
const LINE = 36;
const CARD = 60;
/** Placeholder rows until the first page or count arrives. */
const EXPECTED = 20;

/** The mounted rows of a list, and its scroll position. */
export function useRowScroll(scroller: RefObject<HTMLElement | null>, extent: Extent, isNarrow: boolean) {
  const isFirstTime = extent === NO_EXTENT;
  const count = isFirstTime ? EXPECTED : Math.min(extent.rows, MOST_ROWS);
  const height = isNarrow ? CARD : LINE;
  const head = isNarrow ? 0 : HEAD;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    paddingStart: head,
    scrollPaddingStart: head,
    overscan: 4,
  });
  useEffect(() => {
    if (isNarrow !== undefined) rows.measure();
  }, [isNarrow, rows]);

  // Goes to a row beyond the known ones as soon as it is known.
  const [target, setTarget] = useState<number | null>(null);
  useEffect(() => {
    if (target === null || target >= count) return;
    rows.scrollToIndex(target, { align: 'auto' });
    setTarget(null);
  }, [target, count, rows]);

  const items = rows.getVirtualItems();
  const keys = useRef<ReadonlyMap<number, number>>(new Map());
  keys.current = recycled(
    keys.current,
    items.map(({ index }) => index),
    focusedRow(scroller.current),
  );
  const inView = (most: number) => Math.floor(((scroller.current?.clientHeight ?? most) - head) / height);
  const isEmpty = count === 0 && !isFirstTime;
  const first = isEmpty ? 0 : Math.max(0, Math.round((rows.scrollOffset ?? 0) / height)) + 1;
  return {
    items: items.map(({ index, start }) => ({ key: keys.current.get(index), index, start })),
    start: items[0]?.index ?? 0,
    end: (items.at(-1)?.index ?? EXPECTED - 1) + 1,
    count,
    head,
    height: rows.getTotalSize() - head,
    isFirstTime,
    isEmpty,
    /** The rows in view, counted from 1; 0 without rows. */
    first,
    last: Math.min(count, first + Math.max(1, inView(720)) - 1),
    /** Rows of a page. */
    page: () => Math.max(1, inView(0) - 1),
    show: (row: number) => {
      if (row >= count) setTarget(row);
      else if (row >= 0) rows.scrollToIndex(row, { align: 'auto' });
    },
  };
}

function focusedRow(scroller: HTMLElement | null): number | null {
  const { activeElement } = document;
  const row = scroller?.contains(activeElement) && activeElement?.closest('[data-row]');
  return row ? Number(row.getAttribute('data-row')) : null;
}
