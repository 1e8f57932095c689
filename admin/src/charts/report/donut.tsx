import type { ReactNode } from 'react';
import { formatPercent } from '../../base/format.ts';
import type { Slice } from './chart-data.ts';
import css from './report.module.css';

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;

export interface DonutProps {
  readonly slices: readonly Slice[];
  /** The whole, in the middle. */
  readonly whole: string;
  readonly labelOf: (slice: Slice) => ReactNode;
  readonly textOf: (slice: Slice) => string;
}

/** Parts of a whole, with a legend that has all figures. */
export function Donut({ slices, whole, labelOf, textOf }: DonutProps) {
  const starts = slices.map((_, at) => slices.slice(0, at).reduce((sum, { share }) => sum + share, 0));
  return (
    <div className={css['donut']}>
      <svg viewBox="0 0 100 100" aria-hidden="true" className={css['ring']}>
        {slices.map(({ color, share }, at) => (
          <circle
            key={color}
            cx="50"
            cy="50"
            r={RADIUS}
            fill="none"
            strokeWidth="14"
            strokeDasharray={`${Math.max(0.5, share * LENGTH - (slices.length > 1 ? 1 : 0))} ${LENGTH}`}
            strokeDashoffset={-(starts[at] ?? 0) * LENGTH}
            transform="rotate(-90 50 50)"
            style={{ stroke: `var(--c-chart-${color})` }}
          />
        ))}
        <text x="50" y="50" dy="0.35em" textAnchor="middle" className={css['whole']}>
          {whole}
        </text>
      </svg>
      <ul className={css['slices']}>
        {slices.map((slice) => (
          <li key={slice.color}>
            <Swatch color={slice.color} />
            <span className={css['sliceLabel']} title={slice.label}>
              {labelOf(slice)}
            </span>
            <span className={css['sliceValue']}>{textOf(slice)}</span>
            <span className={css['share']}>{formatPercent(slice.share * 100, 1)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The colour of a series or of a part. */
export function Swatch({ color }: { readonly color: number }) {
  return (
    <span className={css['swatch']} aria-hidden="true" style={{ background: `var(--c-chart-${color})` }} />
  );
}
