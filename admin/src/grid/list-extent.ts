/** What is known of how many rows a list has. */
export interface Extent {
  /** Rows that can be scrolled to. */
  readonly rows: number;
  /** Whether there are no others. */
  readonly isExact: boolean;
}

/** Rows that one request fetches. */
export const PAGE = 100;
/** Rows to add at the end while nobody has counted them. */
const STRIDE = 10_000;
/** Beyond this many rows of 36 px browsers place elements wrongly. */
export const MOST_ROWS = 400_000;

export const NO_EXTENT: Extent = { rows: 0, isExact: false };

/** With what the server counted. */
export function counted(before: Extent, count: number, isCapped: boolean): Extent {
  if (!isCapped) return { rows: count, isExact: true };
  return before.isExact ? before : { rows: Math.max(before.rows, count), isExact: false };
}

/**
 * With what a page showed: the last one says where the list ends, one at the end of what is known that it
 * goes on.
 */
export function arrived(before: Extent, page: number, length: number, hasNext: boolean): Extent {
  const end = page * PAGE + length;
  if (!hasNext) {
    // A page beyond the end says only that the end is before it.
    if (length === 0 && page > 0) return before.rows > end ? { rows: end, isExact: false } : before;
    return before.isExact && before.rows === end ? before : { rows: end, isExact: true };
  }
  if (before.isExact && before.rows > end) return before;
  if (end < before.rows) return before;
  // The first page is there before its count: that says how far it goes.
  return { rows: end + (before === NO_EXTENT ? PAGE : STRIDE), isExact: false };
}

/** With a row that somebody wants to go to before anybody counted so far. */
export function reaching(before: Extent, row: number): Extent {
  return before.isExact || row < before.rows ? before : { rows: row + PAGE, isExact: false };
}

/** The pages that rows from one index up to and without another are on. */
export function pagesBetween(start: number, end: number): readonly number[] {
  const first = Math.floor(Math.max(0, start) / PAGE);
  const last = Math.floor(Math.max(0, end - 1) / PAGE);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
