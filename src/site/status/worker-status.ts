import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { JobState } from '../../kernel/jobs.ts';
import type { RecentError } from '../../observe/recent-errors.ts';
import type { Siblings } from '../siblings.ts';
import type { WorkerRole } from '../workers.ts';

/** What one process of a server says about itself. */
export interface WorkerStatus {
  /** Its number; null in a server of one process. */
  readonly worker: number | null;
  readonly role: WorkerRole;
  readonly pid: number;
  /** Seconds since its start. */
  readonly uptime: number;
  /** Bytes: of the process, and of JavaScript's objects. */
  readonly memory: number;
  readonly heap: number;
  /** Share of the time that the event loop was busy, from 0 to 1; since the look before. */
  readonly busy: number;
  /** Delays of the event loop in milliseconds, since the look before. */
  readonly delay_p99: number;
  readonly delay_max: number;
  /** Seconds since the look before. */
  readonly since: number;
  readonly jobs: readonly JobState[];
}

/** Two looks within this time share their figures; milliseconds. */
const FRESH = 4_000;
/** Milliseconds between two samples of the event loop's delay. */
const SAMPLE = 50;
const TOPIC = 'status';
const ERRORS = 'errors';

/** The parts of a process that it reports. */
export interface Watched {
  readonly siblings: Siblings;
  readonly role: WorkerRole;
  readonly jobs: { states(): JobState[] };
  readonly errors: { list(requestId?: string): readonly RecentError[] };
}

/** The status of all processes of a server. */
export interface ServerStatus {
  /** Of this process and of each other worker that answers. */
  workers(): Promise<readonly WorkerStatus[]>;
  /** Recent errors of all of them, the newest first. */
  errors(requestId?: string): Promise<readonly WorkerError[]>;
  /** Begins to measure, and to answer the other workers. The returned function stops it. */
  start(): () => Promise<void>;
}

/** An error, and the worker that met it. */
export interface WorkerError extends RecentError {
  readonly worker: number | null;
}

/** The status of this server, for a process that serves. */
export function serverStatus({ siblings, role, jobs, errors }: Watched): ServerStatus {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE });
  let looked = performance.now();
  let loop = performance.eventLoopUtilization();
  let figures = { busy: 0, delay_p99: 0, delay_max: 0, since: 0 };

  function look(): typeof figures {
    const since = performance.now() - looked;
    if (since < FRESH && figures.since > 0) return figures;
    const is = performance.eventLoopUtilization();
    figures = {
      busy: performance.eventLoopUtilization(is, loop).utilization,
      delay_p99: lateness(delays.percentile(99)),
      delay_max: lateness(delays.max),
      since: since / 1000,
    };
    looked += since;
    loop = is;
    delays.reset();
    return figures;
  }

  function own(): WorkerStatus {
    const { rss, heapUsed } = process.memoryUsage();
    return {
      worker: siblings.worker,
      role,
      pid: process.pid,
      uptime: process.uptime(),
      memory: rss,
      heap: heapUsed,
      ...look(),
      jobs: jobs.states(),
    };
  }

  const ownErrors = (requestId?: string) =>
    errors.list(requestId).map((error) => ({ ...error, worker: siblings.worker }));
  return {
    async workers() {
      const others = await siblings.ask(TOPIC);
      const all = [own(), ...others.map(({ answer }) => answer as WorkerStatus | null)];
      return all
        .filter((status) => status !== null)
        .toSorted((one, other) => (one.worker ?? 0) - (other.worker ?? 0));
    },
    async errors(requestId) {
      const others = await siblings.ask(ERRORS, requestId ?? null);
      const theirs = others.flatMap(({ answer }) => (Array.isArray(answer) ? (answer as WorkerError[]) : []));
      return [...ownErrors(requestId), ...theirs].toSorted((one, other) => other.at - one.at);
    },
    start() {
      delays.enable();
      siblings.answer(TOPIC, own);
      siblings.answer(ERRORS, (id) => ownErrors(typeof id === 'string' ? id : undefined));
      return async () => void delays.disable();
    },
  };
}

// The histogram counts the time between two samples, in nanoseconds; without any it says NaN.
function lateness(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - SAMPLE) : 0;
}
