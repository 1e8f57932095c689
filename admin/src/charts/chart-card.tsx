import { lazy, Suspense, useState } from 'react';
import { currentCustoms, formatDatetime } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import { timestampOf } from '../base/time-zone.ts';
import { Skeleton } from '../widgets/feedback.tsx';
import { Muted } from '../widgets/layout.tsx';
import { SegmentedControl } from '../widgets/segmented-control.tsx';
import { Table } from '../widgets/table.tsx';
import type { ChartProps, Series } from './chart.ts';
import css from './charts.module.css';
import type { Slot } from './spans.ts';

const Plot = lazy(() => import('./plot.tsx').then(({ Plot: component }) => ({ default: component })));

/** A chart with its legend, and the same numbers as an optional table. */
export function ChartCard(props: ChartProps) {
  const { title, slots, series, format, empty } = props;
  const [form, setForm] = useState<'chart' | 'table'>('chart');
  const [at, setAt] = useState<number | null>(null);
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const slot = at === null ? undefined : slots[at];
  return (
    <section className={css['card']} aria-label={title}>
      <header className={css['head']}>
        <h2>{title}</h2>
        <SegmentedControl
          label={t('Show {title} as', { title })}
          value={form}
          onChange={setForm}
          choices={[
            { value: 'chart', label: t('Chart') },
            { value: 'table', label: t('Table') },
          ]}
        />
      </header>
      {isEmpty ? (
        <div className={css['empty']}>
          <Muted>{empty}</Muted>
        </div>
      ) : form === 'table' ? (
        <NumbersTable {...props} />
      ) : (
        <>
          <div className={css['legend']} aria-hidden="true">
            {series.map((one) => (
              <span key={one.label} className={css['entry']}>
                <Swatch color={one.color} dash={one.dash} isLine={props.kind === 'lines'} />
                {one.label}
                <span className={css['value']}>{valueAt(one, at, format)}</span>
              </span>
            ))}
            <span className={css['when']}>{slot ? timeOf(slot) : ''}</span>
          </div>
          <div role="img" aria-label={t('{title}: choose “Table” to read the data', { title })} dir="ltr">
            <Suspense fallback={<Skeleton height={200} />}>
              <Plot {...props} onCursor={setAt} />
            </Suspense>
          </div>
        </>
      )}
    </section>
  );
}

function valueAt({ values }: Series, at: number | null, format: (value: number) => string): string {
  const value = at === null ? null : (values[at] ?? null);
  return value === null ? '' : format(value);
}

function Swatch({
  color,
  dash,
  isLine,
}: {
  readonly color: string;
  readonly dash: readonly number[] | undefined;
  readonly isLine: boolean;
}) {
  return (
    <svg width="18" height="10" aria-hidden="true">
      {isLine ? (
        <line
          x1="0"
          y1="5"
          x2="18"
          y2="5"
          strokeWidth="2"
          strokeDasharray={dash?.join(' ')}
          style={{ stroke: `var(${color})` }}
        />
      ) : (
        <rect x="3" width="12" height="10" rx="2" style={{ fill: `var(${color})` }} />
      )}
    </svg>
  );
}

// Newest first, without empty slots: an empty hour says nothing in a table.
function NumbersTable({ title, slots, series, format }: ChartProps) {
  const rows = slots
    .map((slot, at) => ({ slot, values: series.map(({ values }) => values[at] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed();
  return (
    <div className={css['numbers']}>
      <Table
        label={t('{title} as a table', { title })}
        rows={rows}
        rowKey={({ slot }) => slot.key}
        columns={[
          { id: 'time', label: t('Time'), isHeader: true, cell: ({ slot }) => timeOf(slot) },
          ...series.map((one, at) => ({
            id: one.label,
            label: one.label,
            isNumber: true,
            cell: ({ values }: { readonly values: readonly (number | null)[] }) => {
              const value = values[at] ?? null;
              return value === null ? '–' : format(value);
            },
          })),
        ]}
      />
    </div>
  );
}

function timeOf({ at }: Slot): string {
  return formatDatetime(timestampOf(at * 1_000, currentCustoms().siteZone));
}
