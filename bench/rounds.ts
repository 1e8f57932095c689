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

/** What one run of the bench found. */
export interface Document {
  readonly engine: string;
  readonly rows: number;
  readonly runs: string;
  readonly seconds: string;
  /** Milliseconds to the first authenticated reply. */
  readonly cold: number;
  /** Resident megabytes. */
  readonly memory: { readonly idle: number; readonly after: number; readonly floor: number };
  readonly results: readonly Result[];
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

/** The results as a table in Markdown, with the lines that belong below it. */
export function tableOf({ engine, rows, runs, seconds, cold, memory, results }: Document): string {
  const head = [
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
  const lines = results.map((result) => {
    const { cpu, floor, ratio } = result;
    const cells = [
      result.workload,
      result.side,
      result.perSecond.toFixed(0),
      `${result.p50.toFixed(1)}, ${result.p99.toFixed(1)}`,
      `${cpu.median.toFixed(1)} (${cpu.best.toFixed(1)})`,
      floor?.perSecond.toFixed(0) ?? '',
      floor ? `${floor.median.toFixed(1)} (${floor.best.toFixed(1)})` : '',
      ratio ? `${ratio.median.toFixed(2)} (${ratio.best.toFixed(2)})` : '',
      ratio ? `±${ratio.noise.toFixed(2)}` : '',
      String(result.failed),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `${engine}, ${rows} tickets, ${runs} rounds of ${seconds} s each, 32 connections`,
    '',
    `| ${head.join(' | ')} |`,
    `|---|---|${'--:|'.repeat(head.length - 2)}`,
    ...lines,
    '',
    `First authenticated reply ${cold.toFixed(0)} ms after the start.`,
    `Resident memory: ${memory.idle} MB idle, ${memory.after} MB after all of the above (floor ${memory.floor} MB).`,
  ].join('\n');
}
