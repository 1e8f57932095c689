import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useMemo } from 'react';
import { type Column, fitted } from './list-columns.ts';
import type { PlacedColumn } from './list-row.tsx';
import { useInlineSize } from './use-inline-size.ts';

/** Width of the checkbox column. */
const SELECT_WIDTH = 40;

/** The columns in their widths, and those that are mounted: all pinned ones, and the others in view. */
export function usePlacedColumns(
  scroller: RefObject<HTMLElement | null>,
  asked: readonly Column[],
  isRtl: boolean,
) {
  const room = useInlineSize(scroller) - SELECT_WIDTH;
  const columns = useMemo(() => fitted(asked, room), [asked, room]);
  const pinned = columns.filter((one) => one.isPinned);
  const pinnedWidth = pinned.reduce((sum, one) => sum + one.width, SELECT_WIDTH);
  const loose = columns.slice(pinned.length);
  const virtualizer = useVirtualizer({
    horizontal: true,
    isRtl,
    count: loose.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => loose[index]?.width ?? 0,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
    overscan: 1,
  });
  // The virtualizer does not observe widths, so a change triggers a new measurement.
  const widths = columns.map((one) => `${one.field.fieldname}:${one.width}`).join();
  useMemo(() => {
    if (widths !== '') virtualizer.measure();
  }, [widths, virtualizer]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const lead = items[0] ? items[0].start - pinnedWidth : 0;
  const placed = useMemo((): readonly PlacedColumn[] => {
    let offset = SELECT_WIDTH;
    const fixed = columns.flatMap((column, index) => {
      if (!column.isPinned) return [];
      const here = { column, index, offset };
      offset += column.width;
      return [here];
    });
    const seen = columns
      .slice(fixed.length + first, fixed.length + last + 1)
      .map((column, at) => ({ column, index: fixed.length + first + at, offset: at === 0 ? lead : 0 }));
    return [...fixed, ...seen];
  }, [columns, first, last, lead]);
  return {
    columns,
    placed,
    width: virtualizer.getTotalSize(),
    scrollTo: (index: number) => {
      if (index >= pinned.length) virtualizer.scrollToIndex(index - pinned.length, { align: 'auto' });
    },
  };
}
