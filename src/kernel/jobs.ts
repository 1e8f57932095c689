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
  make_backup: 60_000,
  rehearse_backup: 60 * 60_000,
  run_loads: 30_000,
} as const;

export type JobName = keyof typeof JOBS;

/** Jobs whose work is in the database and the files, so that one server does it for all. */
const SHARED: ReadonlySet<JobName> = new Set([
  'delete_expired_records',
  'mask_logged_responses',
  'collect_unused_files',
  'empty_quarantine',
  'trim_change_feed',
  'make_backup',
  'rehearse_backup',
  'run_loads',
]);
/** The longest random delay of a shared job, as a part of its interval, so that servers do not ask all at once. */
const JITTER = 1 / 10;

/**
 * Asks for the turn of a job that runs at most once in `every` milliseconds on all servers together. Resolves to 0
 * when this process has it, otherwise to the milliseconds until it is due.
 */
export type JobTurn = (job: JobName, every: number) => Promise<number>;

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
  #turn: JobTurn | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Shares jobs with the other servers of the database. Call it before the first job is due. */
  share(turn: JobTurn): void {
    this.#turn = turn;
  }

  /** The job of this name, for the loop that runs it. */
  job(name: JobName): Job {
    const job = new Job(name, this.#clock, () => (SHARED.has(name) ? this.#turn : null));
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
  readonly #turn: () => JobTurn | null;

  /** `turn`: how to share it with other servers; null: it is this process's own. */
  constructor(name: JobName, clock: Clock, turn: () => JobTurn | null = () => null) {
    this.#name = name;
    this.#clock = clock;
    this.#turn = turn;
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

  /**
   * Waits for the next run of this process, without keeping the process running. False when `signal` aborted the
   * wait.
   */
  async due(millis: number, signal: AbortSignal): Promise<boolean> {
    for (let pause = millis; ; ) {
      this.plan(pause);
      if (!(await this.wait(pause, signal))) return false;
      const left = await this.untilTurn();
      if (left <= 0) return true;
      // Nobody else's clock makes it wait for longer than its interval.
      pause = Math.min(left, JOBS[this.#name]) + Math.random() * JITTER * JOBS[this.#name];
    }
  }

  /**
   * Takes the turn of this job among the servers for so many milliseconds: 0 when it is this one's, otherwise the time
   * until it is due.
   */
  async untilTurn(every: number = JOBS[this.#name]): Promise<number> {
    const turn = this.#turn();
    if (turn === null || this.#isAsked) return 0;
    // Without an answer the job tries its work, and reports why that fails.
    return turn(this.#name, every).catch(() => 0);
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
