/** Pixels of a tile with one line of values, and its gap: the style sheet has the same gap. */
export const TILE = 240;
export const GAP = 12;
const OVERSCAN = 2;

/** The tiles in view of a gallery of that width. */
export interface Layout {
  readonly columns: number;
  readonly first: number;
  readonly last: number;
}

/** How many tiles fit beside each other: two on a phone. */
export function columnsIn(width: number): number {
  const least = width < 600 ? 132 : 208;
  return Math.max(1, Math.floor((width + GAP) / (least + GAP)));
}

/** The tiles between two edges of the scrolled content, with some more on both sides. */
export function tilesBetween(top: number, bottom: number, columns: number, tile = TILE): Layout {
  const first = Math.max(0, Math.floor(top / tile) - OVERSCAN) * columns;
  return { columns, first, last: (Math.ceil(bottom / tile) + OVERSCAN) * columns };
}

/** The tile that an arrow key leads to; null for another key. */
export function tileAfter(key: string, from: number, columns: number, count: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    next: 1,
    previous: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  if (step === undefined) return null;
  const to = from + step;
  if (key === 'ArrowDown' || key === 'ArrowUp') return to < 0 || to >= count ? from : to;
  return Math.max(0, Math.min(count - 1, to));
}
