import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../kernel/limits.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import type { Row } from '../database.ts';
import { databaseError, queryTimeout, unavailable } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import type { Read, ScanReply, ScanRequest } from './scan-worker.ts';

/** A thread without work ends after this time; milliseconds. */
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
 * Runs long reads of an SQLite file on threads, so that the event loop goes on. Threads start when there is work for them, and end after
 * a minute without; one whose read exceeds its time is ended at once.
 */
export class ScanPool {
  readonly #path: string;
  readonly #timeout: number;
  readonly #threads = new Set<Thread>();
  readonly #queue = new Set<Job>();
  #closed = false;

  /** `timeout`: milliseconds a read may take, its waiting included; LIMITS.queryTimeout. */
  constructor(path: string, timeout: number = LIMITS.queryTimeout) {
    this.#path = path;
    this.#timeout = timeout;
  }

  /** @throws ServiceError QueryTimeoutError; ServiceUnavailableError when too many wait, or the thread ended */
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

  /** After a schema change statements are prepared anew. */
  forgetStatements(): void {
    for (const { worker } of this.#threads) send(worker, { forget: true });
  }

  /** Ends every read; those who wait hear that the server is stopping. */
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
    // Published, this file and the thread's are JavaScript.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./scan-worker.${extension}`, import.meta.url), {
      workerData: this.#path,
    });
    const thread: Thread = { worker, job: null, idle: null, ending: false };
    this.#threads.add(thread);
    worker.on('message', (reply: ScanReply) => this.#answer(thread, reply));
    // An error ends the thread, and its end is what counts.
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
    // The connection it has open keeps the log from being folded into the database until it is gone.
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
