import { type Clock, nowMillis } from './clock.ts';

/** Every periodic job of a server, and its usual interval in milliseconds. */
export const JOBS = {
  delete_expired_records: 60 * 60_000,
  mask_logged_responses: 60 * 60_000,
  collect_unused_files: 6 * 60 * 60_000,
  empty_quarantine: 30_000,
  trim_change_feed: 30_000,
  store_slow_queries: 30_000,
  build_indexes: 60_000,
} as const;

export type JobName = keyof typeof JOBS;

/** The runs of one job in this process, since its start. Times are milliseconds since the epoch. */
export interface JobState {
  readonly job: JobName;
  readonly every: number;
  readonly isRunning: boolean;
  readonly runs: number;
  readonly failures: number;
  /** The start of the last run; null before the first. */
  readonly began: number | null;
  /** Milliseconds that the last finished run took. */
  readonly took: number | null;
  /** What the last finished run has processed, as its number; null where a run has no number. */
  readonly done: number | null;
  /** The error of the last finished run; null if it succeeded. */
  readonly error: string | null;
  readonly next: number | null;
}

/** The periodic jobs of this process. */
export class Jobs {
  readonly #clock: Clock;
  readonly #jobs = new Map<JobName, Job>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The job of this name, for the loop that runs it. */
  job(name: JobName): Job {
    const job = new Job(name, this.#clock);
    this.#jobs.set(name, job);
    return job;
  }

  states(): JobState[] {
    return [...this.#jobs.values()].map((job) => job.state());
  }

  /** True if this process runs the job. */
  has(name: string): boolean {
    return this.#jobs.has(name as JobName);
  }

  /** Asks a job to run now, if this process runs it. */
  ask(name: string): void {
    this.#jobs.get(name as JobName)?.ask();
  }
}

/** A job as its loop sees it: `while (await job.due(millis, signal)) await job.run(work)`. */
export class Job {
  readonly #name: JobName;
  readonly #clock: Clock;
  #state: Omit<JobState, 'job' | 'every'> = {
    isRunning: false,
    runs: 0,
    failures: 0,
    began: null,
    took: null,
    done: null,
    error: null,
    next: null,
  };
  #asked = Promise.withResolvers<void>();
  #isAsked = false;

  constructor(name: JobName, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  /** Somebody wants it to run now. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  ask(): void {
    this.#isAsked = true;
    this.#asked.resolve();
  }

  state(): JobState {
    return { job: this.#name, every: JOBS[this.#name], ...this.#state };
  }

  /** Waits for the next run, without keeping the process running. False when `signal` aborted the wait. */
  due(millis: number, signal: AbortSignal): Promise<boolean> {
    this.plan(millis);
    return this.wait(millis, signal);
  }

  /** Tells when the next run begins, unless it is asked for. */
  plan(millis: number): void {
    this.#state = { ...this.#state, next: nowMillis(this.#clock) + millis };
  }

  /** Waits for a part of the time until the next run, or until it is asked for. */
  async wait(millis: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#isAsked) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, millis).unref();
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([promise, this.#asked.promise]);
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    return !signal.aborted;
  }

  /** Runs the work and records how it went. @throws whatever `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#isAsked = false;
    this.#asked = Promise.withResolvers();
    const began = nowMillis(this.#clock);
    const from = performance.now();
    this.#state = { ...this.#state, isRunning: true, began, next: null };
    try {
      const result = await work();
      this.#end(from, { done: typeof result === 'number' ? result : null, error: null });
      return result;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#end(from, { done: null, error: message, failures: this.#state.failures + 1 });
      throw error;
    }
  }

  #end(from: number, outcome: Partial<JobState>): void {
    const took = Math.round(performance.now() - from);
    this.#state = { ...this.#state, ...outcome, isRunning: false, took, runs: this.#state.runs + 1 };
  }
}
