import type { Slot } from './spans.ts';

/** One series of values, one value per slot. */
export interface Series {
  readonly label: string;
  /** A colour token of the theme: `--c-success-text`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  /** Dash pattern of a line, so that lines differ in more than colour. */
  readonly dash?: readonly number[];
}

export interface ChartProps {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  readonly slots: readonly Slot[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Text shown instead of an empty chart. */
  readonly empty: string;
}
