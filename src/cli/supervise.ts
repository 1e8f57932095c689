import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../config/config.ts';
import { WORKER_NUMBER } from '../config/worker-number.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { makeDataDirectory } from '../site/data-directory.ts';
import type { ToSupervisor } from '../site/siblings.ts';
import { lockDatabase } from '../site/start/lock-database.ts';
import { logOf } from './log-of.ts';
import { Relay } from './relay.ts';
import { releaseMemory } from './release-memory.ts';

/** Milliseconds before the second start in a row, and the longest pause; each pause is twice the last one. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/**
 * Runs `count` workers, and replaces those that end. The first one prepares the site before the others start.
 * Resolves to the exit code once a signal has stopped all of them, or when workers keep failing.
 */
export async function supervise(config: Config, count: number): Promise<number> {
  await makeDataDirectory(config);
  const unlock = await lockDatabase(config, 'supervisor');
  // Each worker accepts connections from the one socket by itself, so that none is lost with another worker.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  try {
    return await new Supervisor(count, logOf(config)).run();
  } finally {
    unlock();
  }
}

/** The place of one worker and of those that replace it. */
interface Slot {
  readonly number: number;
  worker: Worker | null;
  /** When it began to serve, by `performance.now()`. */
  servingSince: number | null;
  /** Workers in a row that ended soon. */
  failures: number;
  retry: NodeJS.Timeout | null;
}

class Supervisor {
  readonly #slots: readonly Slot[];
  readonly #observe: Observer;
  readonly #relay = new Relay();
  readonly #ended = Promise.withResolvers<number>();
  #isPrepared = false;
  #stoppedAt: number | null = null;
  /** The signal that stops the workers. */
  #signal: NodeJS.Signals | null = null;
  #code = 0;

  constructor(count: number, observe: Observer) {
    this.#observe = observe;
    this.#slots = Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      worker: null,
      servingSince: null,
      failures: 0,
      retry: null,
    }));
  }

  run(): Promise<number> {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#stop(signal));
    }
    const [first] = this.#slots;
    if (first) this.#start(first);
    return this.#ended.promise;
  }

  #start(slot: Slot): void {
    const worker = cluster.fork({ [WORKER_NUMBER]: String(slot.number) });
    slot.worker = worker;
    slot.servingSince = null;
    slot.retry = null;
    worker.on('message', (message: ToSupervisor | null) => {
      // Code of an app may send messages of its own.
      if (message?.kind === 'serve') this.#serves(slot);
      else if (message) this.#relay.receive(worker, slot.number, message);
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (slot.worker === worker) this.#replace(slot, code, signal);
    });
    worker.on('error', () => {
      // The system could not start the process.
      if (worker.process.pid === undefined && slot.worker === worker) this.#replace(slot, 1, null);
    });
  }

  #serves(slot: Slot): void {
    slot.servingSince = performance.now();
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    // The garbage of the start.
    releaseMemory();
    if (this.#stoppedAt === null) for (const other of this.#slots) if (other !== slot) this.#start(other);
  }

  #replace(slot: Slot, code: number | null, signal: string | null): void {
    if (slot.worker) this.#relay.leave(slot.worker);
    slot.worker = null;
    if (this.#stoppedAt !== null || !this.#isPrepared) {
      // A worker that has just begun to start does not handle signals yet.
      this.#code ||= signal !== null && signal === this.#signal ? 0 : (code ?? 1);
      this.#endIfEmpty();
      return;
    }
    const served = slot.servingSince === null ? 0 : performance.now() - slot.servingSince;
    slot.servingSince = null;
    slot.failures = served >= LIMITS.workerSteady ? 0 : slot.failures + 1;
    this.#observe({ kind: 'worker_ended', worker: slot.number, code, signal, failures: slot.failures });
    if (slot.failures === LIMITS.workerStarts) {
      this.#observe({
        kind: 'warning',
        message: `Worker ${slot.number} ended ${slot.failures} times in a row`,
      });
    }
    // While another worker serves, the cause may go away, as a database that does not answer.
    if (this.#slots.every((one) => one.servingSince === null && one.failures >= LIMITS.workerStarts)) {
      this.#code = 1;
      this.#stop('SIGTERM');
      return;
    }
    slot.retry = setTimeout(() => this.#start(slot), pauseAfter(slot.failures));
  }

  /** A second signal ends the workers at once. */
  #stop(signal: NodeJS.Signals): void {
    const now = performance.now();
    const isAgain = this.#stoppedAt !== null && now - this.#stoppedAt > LIMITS.signalRepeat;
    this.#stoppedAt ??= now;
    this.#signal ??= signal;
    for (const { worker, retry } of this.#slots) {
      if (retry) clearTimeout(retry);
      worker?.process.kill(isAgain ? 'SIGKILL' : signal);
    }
    if (isAgain) this.#ended.resolve(this.#code);
    this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#slots.every(({ worker }) => worker === null)) this.#ended.resolve(this.#code);
  }
}

function pauseAfter(failures: number): number {
  return failures < 2 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 2));
}
