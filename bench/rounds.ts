import { type Measurement, measure, median, quantile } from './load.ts';
import type { Served } from './servers.ts';
import type { Workload } from './workloads.ts';

/** One of the servers that take turns. */
export interface Side {
  readonly name: string;
  readonly server: Served;
  readonly workloads: readonly Workload[];
}

/** What one side needed for one workload; CPU in microseconds per request, latencies in milliseconds. */
export interface Result {
  readonly workload: string;
  readonly side: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: { readonly median: number; readonly best: number };
  readonly floor: { readonly perSecond: number; readonly median: number; readonly best: number } | null;
  /** CPU divided by the floor's in the same round; the noise is half the distance of its quartiles. */
  readonly ratio: { readonly median: number; readonly best: number; readonly noise: number } | null;
  readonly failed: number;
}

/** Sends one workload to each side and to the floor in turns: one round to warm up, and `runs` that count. */
export async function compare(
  workload: string,
  sides: readonly Side[],
  floor: Served,
  runs: number,
  seconds: number,
): Promise<Result[]> {
  const measured = sides.map((): Measurement[] => []);
  const floors: Measurement[] = [];
  for (let run = 0; run <= runs; run += 1) {
    for (const [index, side] of sides.entries()) {
      const ours = side.workloads.find(({ name }) => name === workload)?.ours;
      if (ours) measured[index]?.push(await measure(side.server, ours, seconds));
    }
    const theirs = sides[0]?.workloads.find(({ name }) => name === workload)?.floor;
    if (theirs) floors.push(await measure(floor, theirs, seconds));
  }
  const counted = floors.slice(1);
  return sides.map((side, index) => resultOf(workload, side.name, measured[index]?.slice(1) ?? [], counted));
}

function resultOf(
  workload: string,
  side: string,
  ours: readonly Measurement[],
  floors: readonly Measurement[],
): Result {
  const cpu = cpuOf(ours);
  const floor =
    floors.length > 0 ? { ...cpuOf(floors), perSecond: median(floors, (run) => run.perSecond) } : null;
  const ratios = floors.map((run, index) => (ours[index]?.cpuMicros ?? Number.NaN) / run.cpuMicros);
  const noise = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2;
  return {
    workload,
    side,
    perSecond: median(ours, (run) => run.perSecond),
    p50: median(ours, (run) => run.p50),
    p99: median(ours, (run) => run.p99),
    cpu,
    floor,
    ratio: floor ? { median: quantile(ratios, 0.5), best: cpu.best / floor.best, noise } : null,
    failed: [...ours, ...floors].reduce((sum, run) => sum + run.failed, 0),
  };
}

function cpuOf(runs: readonly Measurement[]) {
  return {
    median: median(runs, (run) => run.cpuMicros),
    best: Math.min(...runs.map((run) => run.cpuMicros)),
  };
}

export const HEAD = [
  'workload',
  'commit',
  'req/s',
  'p50, p99 ms',
  'CPU us: median (best)',
  'floor req/s',
  'floor CPU us',
  'ratio: median (best)',
  'noise',
  'failed',
];

/** The cells of one result, as in HEAD. */
export function cellsOf({
  workload,
  side,
  perSecond,
  p50,
  p99,
  cpu,
  floor,
  ratio,
  failed,
}: Result): string[] {
  return [
    workload,
    side,
    perSecond.toFixed(0),
    `${p50.toFixed(1)}, ${p99.toFixed(1)}`,
    `${cpu.median.toFixed(1)} (${cpu.best.toFixed(1)})`,
    floor?.perSecond.toFixed(0) ?? '',
    floor ? `${floor.median.toFixed(1)} (${floor.best.toFixed(1)})` : '',
    ratio ? `${ratio.median.toFixed(2)} (${ratio.best.toFixed(2)})` : '',
    ratio ? `±${ratio.noise.toFixed(2)}` : '',
    String(failed),
  ];
}
