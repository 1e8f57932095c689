/** A position in the list or grid, with the anchor of the selected range. */
export interface Place {
  readonly at: number;
  /** Start of a range. */
  readonly anchor: number;
}

interface Layout {
  readonly count: number;
  /** 1 for a list. */
  readonly columns: number;
  /** Rows per page key. */
  readonly page: number;
  readonly isRtl: boolean;
}

/** Target of a key in a list or a grid, or null. Shift keeps the anchor and selects the range. */
export function moved(place: Place, key: string, isShift: boolean, layout: Layout): Place | null {
  const target = targetOf(place.at, key, layout);
  if (target === null || layout.count === 0) return null;
  const at = Math.min(Math.max(target, 0), layout.count - 1);
  return { at, anchor: isShift ? place.anchor : at };
}

/** The rows from the anchor to the position: the first row, and the one after the last. */
export function rangeOf({ at, anchor }: Place): readonly [start: number, end: number] {
  return [Math.min(at, anchor), Math.max(at, anchor) + 1];
}

function targetOf(at: number, key: string, { count, columns, page, isRtl }: Layout): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return at + columns < count ? at + columns : columns > 1 ? count - 1 : at;
    case 'ArrowUp':
    case 'k':
      return at - columns >= 0 ? at - columns : columns > 1 ? 0 : at;
    case 'PageDown':
      return at + columns * page;
    case 'PageUp':
      return at - columns * page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'ArrowRight':
      return columns > 1 ? at + (isRtl ? -1 : 1) : null;
    case 'ArrowLeft':
      return columns > 1 ? at + (isRtl ? 1 : -1) : null;
    default:
      return null;
  }
}
