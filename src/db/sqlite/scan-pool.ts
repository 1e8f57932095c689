import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../kernel/code-place.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import type { Row } from '../database.ts';
import { databaseError, queryTimeout, unavailable } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import type { Read, ScanPlace, ScanReply, ScanRequest } from './scan-worker.ts';

/** An idle thread ends after this time; milliseconds. */
const IDLE = 60_000;

interface Job {
  readonly read: Read;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
  idle: NodeJS.Timeout | null;
  ending: boolean;
}

/**
 * Runs long reads of an SQLite file on threads, so that the event loop stays free. Threads start on demand
 * and end after an idle minute. A thread whose read exceeds its timeout is terminated.
 */
export class ScanPool {
  readonly #place: ScanPlace;
  readonly #timeout: number;
  readonly #threads = new Set<Thread>();
  readonly #queue = new Set<Job>();
  #closed = false;

  /** `timeout`: milliseconds that a read may take, including its wait; default: LIMITS.queryTimeout. */
  constructor(place: ScanPlace, timeout: number = LIMITS.queryTimeout) {
    this.#place = place;
    this.#timeout = timeout;
  }

  /**
   * @throws ServiceError QueryTimeoutError; ServiceUnavailableError when too many reads wait, or the thread
   * ended
   */
  all({ text, values }: Statement, most?: number): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(unavailable('The server is stopping'));
      if (this.#queue.size >= LIMITS.waitingScans) return reject(unavailable());
      const deadline = setTimeout(() => this.#expire(job), this.#timeout);
      const job: Job = { read: { text, values, most }, resolve, reject, deadline };
      this.#queue.add(job);
      this.#next();
    });
  }

  /** Prepares statements again after a schema change. */
  forgetStatements(): void {
    for (const { worker } of this.#threads) send(worker, { forget: true });
  }

  /** Ends every read. Callers get the error that the server is stopping. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue) settle(job, () => job.reject(unavailable('The server is stopping')));
    this.#queue.clear();
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, 'The server is stopping')));
  }

  #next(): void {
    for (const job of this.#queue) {
      const thread = [...this.#threads].find((each) => each.job === null && !each.ending) ?? this.#start();
      if (!thread) return;
      this.#queue.delete(job);
      if (thread.idle) clearTimeout(thread.idle);
      thread.idle = null;
      thread.job = job;
      thread.worker.ref();
      send(thread.worker, { read: job.read });
    }
  }

  #start(): Thread | null {
    if (this.#threads.size >= LIMITS.scanThreads) return null;
    const worker = new Worker(moduleUrl('src/db/sqlite/scan-worker'), { workerData: this.#place });
    const thread: Thread = { worker, job: null, idle: null, ending: false };
    this.#threads.add(thread);
    worker.on('message', (reply: ScanReply) => this.#answer(thread, reply));
    // An error ends the thread, and the `exit` event handles that.
    worker.on('error', () => {});
    worker.on('exit', () => this.#gone(thread, 'The database is busy, please try again'));
    return thread;
  }

  #answer(thread: Thread, reply: ScanReply): void {
    const { job } = thread;
    thread.job = null;
    thread.worker.unref();
    thread.idle = setTimeout(() => this.#end(thread, 'The server is busy'), IDLE).unref();
    if (job) {
      settle(job, () => {
        if ('rows' in reply) job.resolve(reply.rows);
        else job.reject(errorOf(reply));
      });
    }
    this.#next();
  }

  #expire(job: Job): void {
    if (this.#queue.delete(job)) {
      job.reject(unavailable());
      return;
    }
    const thread = [...this.#threads].find((each) => each.job === job);
    if (!thread) return;
    thread.job = null;
    job.reject(queryTimeout());
    void this.#end(thread, '');
  }

  async #end(thread: Thread, why: string): Promise<void> {
    thread.ending = true;
    // Its open connection prevents the checkpoint of the log into the database.
    await thread.worker.terminate();
    this.#gone(thread, why);
  }

  #gone(thread: Thread, why: string): void {
    if (!this.#threads.delete(thread)) return;
    if (thread.idle) clearTimeout(thread.idle);
    const { job } = thread;
    thread.job = null;
    if (job) settle(job, () => job.reject(unavailable(why)));
    if (!this.#closed) this.#next();
  }
}

function send(worker: Worker, request: ScanRequest): void {
  worker.postMessage(request);
}

function settle(job: Job, how: () => void): void {
  clearTimeout(job.deadline);
  how();
}

function errorOf({ message, errcode, tooLarge }: Extract<ScanReply, { message: string }>): unknown {
  if (tooLarge) return new TooLarge(message);
  const error = new Error(message);
  return databaseError(errcode === null ? error : Object.assign(error, { errcode }));
}
