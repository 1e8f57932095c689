import type { ReactNode } from 'react';
import type { ChartData } from './chart-data.ts';
import css from './report.module.css';

export interface RowBarsProps {
  readonly data: ChartData;
  readonly isStacked: boolean;
  /** Each row has the colour of its group. */
  readonly isColored: boolean;
  /** The label of a row, perhaps as a link. */
  readonly labelOf: (at: number) => ReactNode;
  /** The figures of a row as text. */
  readonly textOf: (at: number) => ReactNode;
}

/** Horizontal bars: a row for each category, with room for a long label. */
export function RowBars({ data, isStacked, isColored, labelOf, textOf }: RowBarsProps) {
  const { categories, series } = data;
  const { lowest, highest } = rangeOf(data, isStacked);
  const span = highest - lowest || 1;
  const barOf = (value: number) => ({
    inlineSize: `${(100 * Math.abs(value)) / span}%`,
    // Bars below zero end where the others begin.
    ...(isStacked ? {} : { marginInlineStart: `${(100 * (Math.min(0, value) - lowest)) / span}%` }),
  });
  return (
    <ol className={css['rows']}>
      {categories.map(({ label, color, value: group }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place on the axis
        <li key={at} className={css['row']}>
          <span className={css['rowLabel']} title={label}>
            {labelOf(at)}
          </span>
          <span className={isStacked ? css['stack'] : css['bars']} aria-hidden="true">
            {series.map((one) => {
              const value = one.values[at] ?? 0;
              if (group === undefined || (value === 0 && isStacked)) return null;
              const shown = isColored ? color : one.color;
              return (
                <span
                  key={one.color}
                  className={css['bar']}
                  data-empty={value === 0 || undefined}
                  style={{ ...barOf(value), background: `var(--c-chart-${shown})` }}
                />
              );
            })}
          </span>
          <span className={css['rowValue']}>{textOf(at)}</span>
        </li>
      ))}
    </ol>
  );
}

/**
 * The ends of the axis, which has zero. Many groups as one would make the bars of all others short: they have
 * only a figure.
 */
function rangeOf({ categories, series }: ChartData, isStacked: boolean) {
  const ends = categories.flatMap(({ value }, at) => {
    const values = series.map((one) => one.values[at] ?? 0);
    if (value === undefined) return [];
    return isStacked ? [values.reduce((sum, one) => sum + one, 0)] : values;
  });
  return { lowest: Math.min(0, ...ends), highest: Math.max(0, ...ends) };
}
