import { useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink, useGo } from '../../base/navigation.tsx';
import type { Filter } from '../../data/documents.ts';
import { Muted } from '../../widgets/layout.tsx';
import { AxisChart } from './axis-chart.tsx';
import { type ChartData, chartData, slicesOf } from './chart-data.ts';
import { Donut, Swatch } from './donut.tsx';
import css from './report.module.css';
import { conditionOf, type GroupValue, joined, valuesOf } from './report.ts';
import { figureText, measureLabel, shortFigure } from './report-words.ts';
import { RowBars } from './row-bars.tsx';
import type { ReportResult } from './use-report.ts';

export interface ReportChartProps {
  readonly result: ReportResult;
  /** Accessible name. */
  readonly title: string;
  readonly height?: number;
  /** The path of the list of a group's documents. */
  readonly pathOf?: ((conditions: readonly Filter[]) => string) | undefined;
}

/** The chart of a report. `ReportTable` shows the same figures. */
export function ReportChart({ result, title, height = 260, pathOf }: ReportChartProps) {
  const { report } = result;
  const data = useMemo(() => chartData(result), [result]);
  const pathOfGroup = (value: GroupValue | undefined) => {
    const [first] = report.groups;
    return pathOf && first && value !== undefined ? pathOf([conditionOf(first, value)]) : undefined;
  };
  if (report.groups.length === 0) return <ReportNumbers result={result} pathOf={pathOf} />;
  if (data.categories.length === 0) return <Muted>{t('Nothing to show')}</Muted>;
  const isWhole = data.categories.every(({ total }) => (total ?? 0) >= 0);
  if (report.chart === 'donut' && isWhole) return <DonutOf result={result} pathOfGroup={pathOfGroup} />;
  return (
    <figure className={css['figure']} aria-label={title}>
      {report.chart === 'line' || data.isTime ? (
        <AxisOf {...{ result, data, title, height, pathOfGroup }} />
      ) : (
        <RowsOf {...{ result, data, pathOfGroup }} />
      )}
      {data.hasUndated && <Muted isSmall>{t('Records without a date are only in the table.')}</Muted>}
    </figure>
  );
}

interface PartProps {
  readonly result: ReportResult;
  readonly pathOfGroup: (value: GroupValue | undefined) => string | undefined;
}

function AxisOf({
  result,
  data,
  title,
  height,
  pathOfGroup,
}: PartProps & { readonly data: ChartData; readonly title: string; readonly height: number }) {
  const [at, setAt] = useState<number | null>(null);
  const go = useGo();
  const { chart } = result.report;
  const kind = chart === 'line' ? 'line' : chart === 'stacked' && data.isStackable ? 'stacked' : 'bar';
  const pick = (index: number) => {
    const path = pathOfGroup(data.categories[index]?.value);
    if (path !== undefined) go(path);
  };
  const isPickable = pathOfGroup(null) !== undefined;
  return (
    <>
      <Legend data={data} result={result} at={at} />
      <div role="img" aria-label={t('{title}: choose “Table” to read the data', { title })} dir="ltr">
        <AxisChart {...{ data, kind, height, at }} onCursor={setAt} onPick={isPickable ? pick : undefined} />
      </div>
    </>
  );
}

function RowsOf({ result, data, pathOfGroup }: PartProps & { readonly data: ChartData }) {
  const { meta, report } = result;
  const { series, categories } = data;
  const [first] = series;
  const textOf = (at: number) =>
    report.groups.length === 2
      ? first && figureText(meta, first.measure, categories[at]?.total ?? null)
      : series.map(({ measure, values }) => figureText(meta, measure, values[at] ?? null)).join(' · ');
  const labelOf = (at: number) => {
    const category = categories[at];
    return category && <GroupLink path={pathOfGroup(category.value)} label={category.label} />;
  };
  return (
    <>
      {series.length > 1 && <Legend data={data} result={result} at={null} />}
      <RowBars
        {...{ data, labelOf, textOf }}
        isStacked={report.chart === 'stacked' && data.isStackable}
        // One colour says nothing. That of an option is the same in each chart.
        isColored={series.length === 1 && (result.options[0] ?? []).length > 0}
      />
    </>
  );
}

function DonutOf({ result, pathOfGroup }: PartProps) {
  const { meta, report } = result;
  const slices = slicesOf(result);
  const [measure] = report.measures;
  if (!measure) return null;
  if (slices.length === 0) return <Muted>{t('Nothing to show')}</Muted>;
  return (
    <Donut
      slices={slices}
      whole={shortFigure(slices.reduce((sum, { amount }) => sum + amount, 0))}
      textOf={({ amount }) => figureText(meta, measure, amount)}
      labelOf={({ label, value }) => <GroupLink path={pathOfGroup(value)} label={label} />}
    />
  );
}

/** The name of a group, in its own direction, which leads to the list of its documents. */
function GroupLink({ path, label }: { readonly path: string | undefined; readonly label: string }) {
  return path === undefined ? (
    <bdi>{label}</bdi>
  ) : (
    <PathLink to={path}>
      <bdi>{label}</bdi>
    </PathLink>
  );
}

function Legend({
  data: { series, categories },
  result: { meta },
  at,
}: {
  readonly data: ChartData;
  readonly result: ReportResult;
  readonly at: number | null;
}) {
  return (
    <div className={css['legend']} aria-hidden="true">
      {series.map(({ label, color, measure, values }) => (
        <span key={color} className={css['entry']}>
          <Swatch color={color} />
          <bdi>{label}</bdi>
          {at !== null && (
            <span className={css['entryValue']}>{figureText(meta, measure, values[at] ?? null)}</span>
          )}
        </span>
      ))}
      <span className={css['when']}>{at === null ? '' : categories[at]?.label}</span>
    </div>
  );
}

/** The figures of all documents of a report, large. They lead to the list of the documents. */
export function ReportNumbers({
  result: { meta, report, cells },
  pathOf,
}: Pick<ReportChartProps, 'result' | 'pathOf'>) {
  const values = valuesOf(joined(cells, [], report.measures), report.measures);
  return (
    <dl className={css['numbers']}>
      {report.measures.map((measure, at) => {
        const text = figureText(meta, measure, values[at] ?? null);
        return (
          <div key={measureLabel(meta, measure)}>
            {/* A single count needs no caption: the title says what is counted. */}
            <dt
              className={
                measure.of === 'count' && report.measures.length === 1 ? 'visually-hidden' : undefined
              }
            >
              {measureLabel(meta, measure)}
            </dt>
            <dd>{pathOf ? <PathLink to={pathOf([])}>{text}</PathLink> : text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
