/** The known row count of a list. */
export interface Extent {
  /** Rows that the user can scroll to. */
  readonly rows: number;
  /** True if `rows` is the exact count. */
  readonly isExact: boolean;
}

/** Rows per request. */
export const PAGE = 100;
/** Rows to add at the end until the count is known. */
const STRIDE = 10_000;
/** With more rows of 36 px, browsers misplace elements. */
export const MOST_ROWS = 400_000;

export const NO_EXTENT: Extent = { rows: 0, isExact: false };

/** The extent after a count by the server. */
export function counted(before: Extent, count: number, isCapped: boolean): Extent {
  if (!isCapped) return { rows: count, isExact: true };
  return before.isExact ? before : { rows: Math.max(before.rows, count), isExact: false };
}

/**
 * The extent after a page has loaded. A short page ends the list. A full page at the known end means that
 * there are more rows.
 */
export function arrived(before: Extent, page: number, length: number, hasNext: boolean): Extent {
  const end = page * PAGE + length;
  if (!hasNext) {
    // An empty page only shows that the end comes before it.
    if (length === 0 && page > 0) return before.rows > end ? { rows: end, isExact: false } : before;
    return before.isExact && before.rows === end ? before : { rows: end, isExact: true };
  }
  if (before.isExact && before.rows > end) return before;
  if (end < before.rows) return before;
  // Until the count arrives, the first page alone gives the extent.
  return { rows: end + (before === NO_EXTENT ? PAGE : STRIDE), isExact: false };
}

/** The extent after a jump to a row beyond the known ones. */
export function reaching(before: Extent, row: number): Extent {
  return before.isExact || row < before.rows ? before : { rows: row + PAGE, isExact: false };
}

/** The pages that hold the rows from `start` up to, but without, `end`. */
export function pagesBetween(start: number, end: number): readonly number[] {
  const first = Math.floor(Math.max(0, start) / PAGE);
  const last = Math.floor(Math.max(0, end - 1) / PAGE);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
