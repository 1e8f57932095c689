import { useEffect, useRef, useState } from 'react';
import type { ChartData, ChartSeries } from './chart-data.ts';
import css from './report.module.css';
import { isAdditive } from './report.ts';
import { shortFigure } from './report-words.ts';

export interface AxisChartProps {
  readonly data: ChartData;
  readonly kind: 'bar' | 'stacked' | 'line';
  readonly height: number;
  /** The category under the pointer; null without one. */
  readonly at: number | null;
  readonly onCursor: (at: number | null) => void;
  readonly onPick: ((at: number) => void) | undefined;
}

const EDGE = { start: 48, end: 12, top: 10, bottom: 24 };
const DASHES = ['', '7 4', '2 3', '10 3 2 3'];

/** Columns or lines along an axis. */
export function AxisChart({ data, kind, height, at, onCursor, onPick }: AxisChartProps) {
  const [holder, width] = useWidth();
  const { categories, series } = data;
  const scale = scaleOf(series, kind, width, height, categories.length);
  const placeOf = (clientX: number, box: DOMRect) => {
    const place = Math.floor((clientX - box.left - EDGE.start) / scale.step);
    return place >= 0 && place < categories.length ? place : null;
  };
  return (
    <div ref={holder} className={css['axisChart']} style={{ blockSize: height }}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          data-pickable={onPick ? true : undefined}
          onPointerMove={(event) =>
            onCursor(placeOf(event.clientX, event.currentTarget.getBoundingClientRect()))
          }
          onPointerLeave={() => onCursor(null)}
          onClick={(event) => {
            const place = placeOf(event.clientX, event.currentTarget.getBoundingClientRect());
            if (place !== null) onPick?.(place);
          }}
        >
          <Axes data={data} scale={scale} width={width} height={height} />
          {at !== null && (
            <rect
              className={css['cursor']}
              x={EDGE.start + at * scale.step}
              y={EDGE.top}
              width={scale.step}
              height={height - EDGE.top - EDGE.bottom}
            />
          )}
          {kind === 'line' ? (
            series.map((one, index) => <Line key={one.color} one={one} scale={scale} index={index} />)
          ) : (
            <Columns series={series} scale={scale} isStacked={kind === 'stacked'} />
          )}
        </svg>
      )}
    </div>
  );
}

interface Scale {
  readonly step: number;
  readonly ticks: readonly number[];
  readonly y: (value: number) => number;
  readonly x: (index: number) => number;
}

function scaleOf(
  series: readonly ChartSeries[],
  kind: AxisChartProps['kind'],
  width: number,
  height: number,
  count: number,
): Scale {
  const each = Array.from({ length: count }, (_, index) => series.map(({ values }) => values[index] ?? 0));
  const sum = (values: readonly number[], sign: 1 | -1) =>
    values.reduce((total, value) => (value * sign > 0 ? total + value : total), 0);
  const tops = kind === 'stacked' ? each.map((values) => sum(values, 1)) : each.flat();
  const lows = kind === 'stacked' ? each.map((values) => sum(values, -1)) : each.flat();
  const high = Math.max(0, ...tops);
  const low = Math.min(0, ...lows);
  const isWhole = each.flat().every(Number.isInteger);
  const ticks = ticksOf(low, high, isWhole);
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)];
  const room = height - EDGE.top - EDGE.bottom;
  const step = (width - EDGE.start - EDGE.end) / Math.max(1, count);
  return {
    step,
    ticks,
    y: (value) => EDGE.top + room * (1 - (value - bottom) / (top - bottom || 1)),
    x: (index) => EDGE.start + (index + 0.5) * step,
  };
}

/** About four round numbers that span the values: whole ones for whole values. */
function ticksOf(low: number, high: number, isWhole: boolean): number[] {
  const span = high - low || 1;
  const rough = isWhole ? Math.max(1, span / 4) : span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 2.5, 5, 10].map((one) => one * power);
  const step = steps.find((one) => one >= rough && (!isWhole || Number.isInteger(one))) ?? 10 * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function Axes({
  data: { categories },
  scale,
  width,
  height,
}: {
  readonly data: ChartData;
  readonly scale: Scale;
  readonly width: number;
  readonly height: number;
}) {
  const longest = Math.max(...categories.map(({ label }) => label.length), 1);
  const every = Math.max(1, Math.ceil((longest * 7 + 12) / scale.step));
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line
            className={css['rule']}
            x1={EDGE.start}
            x2={width - EDGE.end}
            y1={scale.y(tick)}
            y2={scale.y(tick)}
          />
          <text className={css['tick']} x={EDGE.start - 8} y={scale.y(tick)} dy="0.32em" textAnchor="end">
            {shortFigure(tick)}
          </text>
        </g>
      ))}
      {categories.map(({ label, value }, index) =>
        index % every === 0 ? (
          <text
            key={String(value ?? [value])}
            className={css['tick']}
            x={scale.x(index)}
            y={height - 6}
            textAnchor="middle"
          >
            {label}
          </text>
        ) : null,
      )}
    </>
  );
}

function Columns({
  series,
  scale,
  isStacked,
}: {
  readonly series: readonly ChartSeries[];
  readonly scale: Scale;
  readonly isStacked: boolean;
}) {
  const room = Math.min(scale.step * 0.72, isStacked ? 48 : 48 * series.length);
  const width = isStacked ? room : room / series.length;
  const bases = new Map<string, number>();
  return series.map(({ color, values }, at) => (
    <g key={color} style={{ fill: `var(--c-chart-${color})` }}>
      {values.map((value, index) => {
        if (!value) return null;
        const key = `${index} ${Math.sign(value)}`;
        const base = isStacked ? (bases.get(key) ?? 0) : 0;
        bases.set(key, base + value);
        const [from, to] = [scale.y(base), scale.y(base + value)];
        const start = scale.x(index) - room / 2 + (isStacked ? 0 : at * width);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a place on the axis
            key={index}
            x={start + 0.5}
            y={Math.min(from, to)}
            width={Math.max(1, width - 1)}
            height={Math.max(1, Math.abs(to - from))}
            rx={Math.min(2, width / 4)}
          />
        );
      })}
    </g>
  ));
}

function Line({
  one,
  scale,
  index,
}: {
  readonly one: ChartSeries;
  readonly scale: Scale;
  readonly index: number;
}) {
  // No documents add up to 0, but have no average.
  const isGap = (value: number | null) => value === null && !isAdditive(one.measure);
  const points = one.values.flatMap((value, at) =>
    isGap(value) ? [] : [{ x: scale.x(at), y: scale.y(value ?? 0) }],
  );
  return (
    <g style={{ stroke: `var(--c-chart-${one.color})`, fill: `var(--c-chart-${one.color})` }}>
      <polyline
        className={css['line']}
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        strokeDasharray={DASHES[index % DASHES.length]}
      />
      {points.length <= 40 && points.map(({ x, y }) => <circle key={x} cx={x} cy={y} r="3" />)}
    </g>
  );
}

function useWidth() {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [holder, width] as const;
}
