import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { currentCustoms } from '../base/format.ts';
import { useTheme } from '../widgets/use-theme.ts';
import type { ChartProps } from './chart.ts';
import css from './charts.module.css';

const HEIGHT = 200;

/**
 * Draws a chart on a canvas. Calls `onCursor` with the slot under the pointer, or null when the pointer
 * leaves.
 */
export function Plot({
  onCursor,
  ...chart
}: ChartProps & { readonly onCursor: (at: number | null) => void }) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ chart, onCursor });
  latest.current = { chart, onCursor };
  const { seen } = useTheme();
  // Only a change of this key needs a new plot. New values alone update the existing plot.
  const shape = `${seen} ${chart.kind} ${chart.series.map(({ label }) => label).join()} ${chart.slots.length > 1 ? spanOf(chart) : 0}`;
  useEffect(() => {
    const element = holder.current;
    if (!element || shape === '') return;
    const { chart: now } = latest.current;
    const made = new uPlot(
      optionsOf(now, element.clientWidth, (at) => latest.current.onCursor(at)),
      dataOf(now),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  const { kind, slots, series } = chart;
  useEffect(() => {
    plot.current?.setData(dataOf({ kind, slots, series }));
  }, [kind, slots, series]);
  return <div ref={holder} className={css['plot']} />;
}

function spanOf({ slots }: ChartProps): number {
  const [first, last] = [slots[0], slots.at(-1)];
  return first && last ? Math.round((last.at - first.at) / 3_600) : 0;
}

// Bars are stacked: each series is drawn as its sum with the series below it, tallest first.
function dataOf({ kind, slots, series }: Pick<ChartProps, 'kind' | 'slots' | 'series'>): uPlot.AlignedData {
  const times = slots.map(({ at }) => at);
  if (kind === 'lines') return [times, ...series.map(({ values }) => [...values])];
  const sums = slots.map(() => 0);
  const stacked = series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] ?? 0;
    }),
  );
  return [times, ...stacked.toReversed()];
}

function optionsOf(
  { kind, series, slots, format }: ChartProps,
  width: number,
  onCursor: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: token('--c-muted'),
    grid: { stroke: token('--c-border'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const drawn = kind === 'bars' ? series.toReversed() : series;
  const { userZone } = currentCustoms();
  const [start, next] = slots;
  const edge = kind === 'bars' && start && next ? (next.at - start.at) / 2 : 0;
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    // Half of the last time has its place at the end.
    padding: [8, 28, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), userZone),
    scales: {
      // Adds half a bar at each end, so that the first and last bars are fully visible.
      x: { time: true, range: (_plot, first, last) => [first - edge, last + edge] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, values: (_plot, splits) => timesOf(splits, slots), space: 70, size: 28 },
      {
        ...axis,
        size: 52,
        values: (_plot, splits) =>
          splits.map((value) => (kind === 'bars' && !Number.isInteger(value) ? '' : format(value))),
      },
    ],
    series: [
      {},
      ...drawn.map(({ color, dash }) =>
        kind === 'bars'
          ? {
              fill: token(color),
              stroke: token(color),
              width: 0,
              paths: uPlot.paths.bars?.({ size: [0.7, 48], radius: 0 }),
              points: { show: false },
            }
          : {
              stroke: token(color),
              width: 2,
              dash: dash ? [...dash] : [],
              spanGaps: true,
              points: { show: slots.length <= 62, size: 5 },
            },
      ),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  };
}

// Shows hours for ranges up to two days, days for longer ones.
function timesOf(splits: readonly number[], slots: ChartProps['slots']): string[] {
  const { locale, userZone } = currentCustoms();
  const [first, last] = [slots[0], slots.at(-1)];
  const isLong = first !== undefined && last !== undefined && last.at - first.at > 2 * 86_400;
  const options: Intl.DateTimeFormatOptions = isLong
    ? { day: 'numeric', month: 'short' }
    : { hour: '2-digit', minute: '2-digit' };
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: userZone });
  return splits.map((seconds) => made.format(seconds * 1_000));
}
