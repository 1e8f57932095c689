import type { Slot } from './spans.ts';

/** One row of values, along the slots. */
export interface Series {
  readonly label: string;
  /** A token of the theme: `--c-success-text`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  /** Strokes and gaps of a line, so that colour is not all that tells it from others. */
  readonly dash?: readonly number[];
}

export interface ChartProps {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  readonly slots: readonly Slot[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Said in place of an empty chart. */
  readonly empty: string;
}
