import type { Attributes, HrTime } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

/** Milliseconds between two exports; `OTEL_METRIC_EXPORT_INTERVAL` has the same default. */
const EVERY = 60_000;

/** Sends the metrics of `collect` regularly. @returns how to send them once more, and stop */
export function startMetrics(
  url: string,
  resource: Resource,
  collect: () => Promise<readonly string[]>,
): () => Promise<void> {
  const began = hrTime();
  const producer = {
    collect: async () => {
      const metrics = metricsOf(await collect(), began, hrTime());
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'chancery' }, metrics }] },
        errors: [],
      };
    },
  };
  const exporter = new OTLPMetricExporter({ url });
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: EVERY,
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

interface Sample {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly value: number;
}

/** The metrics of lines in Prometheus's text format, such as those of `/metrics`. */
export function metricsOf(lines: readonly string[], startTime: HrTime, endTime: HrTime): MetricData[] {
  const metrics: MetricData[] = [];
  let description = '';
  for (const [index, line] of lines.entries()) {
    const [, word, name = '', text = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') description = text;
    if (word !== 'TYPE') continue;
    const end = lines.findIndex((other, at) => at > index && other.startsWith('# '));
    const samples = lines.slice(index + 1, end === -1 ? undefined : end).map(parseSample);
    const head = {
      descriptor: {
        name,
        description,
        unit: /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? '',
        valueType: 1,
      },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const point = <T>(attributes: Attributes, value: T) => ({ startTime, endTime, attributes, value });
    const points = () => samples.map(({ attributes, value }) => point(attributes, value));
    if (text === 'histogram') {
      const dataPoints = histograms(name, samples).map(({ attributes, ...value }) =>
        point(attributes, value),
      );
      metrics.push({ ...head, dataPointType: DataPointType.HISTOGRAM, dataPoints });
    } else if (text === 'counter')
      metrics.push({ ...head, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() });
    else metrics.push({ ...head, dataPointType: DataPointType.GAUGE, dataPoints: points() });
  }
  return metrics;
}

function parseSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/,?(\w+)="((?:[^"\\]|\\.)*)"/gy)].map(([, label = '', text = '']) => [
    label,
    text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
  ]);
  return { name, attributes: Object.fromEntries(pairs), value: Number(value) };
}

/** The buckets of Prometheus contain those before them; the counts of OTLP do not. */
function histograms(name: string, samples: readonly Sample[]) {
  const byLabels = Map.groupBy(samples, ({ attributes: { le: _, ...others } }) => JSON.stringify(others));
  return [...byLabels.values()].map((group) => {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const totalOf = (end: string) => group.find((sample) => sample.name === `${name}_${end}`)?.value ?? 0;
    const { le: _, ...attributes } = group[0]?.attributes ?? {};
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.slice(0, -1).map((bucket) => Number(bucket.attributes['le']));
    return { attributes, buckets: { boundaries, counts }, sum: totalOf('sum'), count: totalOf('count') };
  });
}

function hrTime(): HrTime {
  const now = Date.now();
  return [Math.floor(now / 1_000), (now % 1_000) * 1_000_000];
}
