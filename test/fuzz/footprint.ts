import { readdir } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the process holds at one moment, when nothing is under way. */
export interface Footprint {
  /** Bytes of memory that are resident. */
  readonly resident: number;
  /** Bytes of the heap that are in use after a collection of garbage. */
  readonly heap: number;
  /** Files, sockets and pipes that are open; 0 where the system does not say. */
  readonly descriptors: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export async function footprint(): Promise<Footprint> {
  // What the first collection lets go of may hold more until its finalizers ran.
  for (let times = 0; times < 2; times += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { rss: resident, heapUsed: heap } = process.memoryUsage();
  const descriptors = (await readdir('/proc/self/fd').catch(() => [])).length;
  return { resident, heap, descriptors };
}

const MEGABYTE = 1024 * 1024;

/** How much larger the last quarter of the samples may be than the second: a part of it, and an amount. */
const BOUNDS: Readonly<Record<keyof Footprint, readonly [part: number, amount: number]>> = {
  resident: [0.3, 64 * MEGABYTE],
  heap: [0.2, 24 * MEGABYTE],
  descriptors: [0, 8],
};

/** Samples below which resident memory says nothing: allocators take their time. */
const RESIDENT_SAMPLES = 12;

/** What grows from sample to sample; empty for fewer than four samples. The first quarter is for warming up. */
export function growth(samples: readonly Footprint[]): string[] {
  const quarter = Math.floor(samples.length / 4);
  if (quarter === 0) return [];
  return (['resident', 'heap', 'descriptors'] as const).flatMap((name) => {
    if (name === 'resident' && samples.length < RESIDENT_SAMPLES) return [];
    const early = mean(samples.slice(quarter, 2 * quarter).map((one) => one[name]));
    const late = mean(samples.slice(-quarter).map((one) => one[name]));
    const [part, amount] = BOUNDS[name];
    return late > early * (1 + part) + amount ? [`${name} grew from ${early} to ${late}`] : [];
  });
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** One line for people. */
export function shownFootprint({ resident, heap, descriptors }: Footprint): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;
  return `${megabytes(resident)} resident, ${megabytes(heap)} of heap, ${descriptors} descriptors`;
}
