import { createStore, type Store } from '../../base/store.ts';
import { type ApiError, isApiError } from '../api-error.ts';
import type { Fingerprint, RememberedUploads, UploadTarget } from './remembered.ts';
import { endTusUpload, runTusUpload, type TusTransport, type TusUpload } from './tus-upload.ts';

export type UploadPhase = 'waiting' | 'uploading' | 'paused' | 'done' | 'failed';

/** Progress of an upload. */
export interface UploadState {
  readonly phase: UploadPhase;
  readonly sent: number;
  /** The name of the finished File. */
  readonly file: string | null;
  readonly error: ApiError | null;
}

/** An upload in the queue. Only `state` changes. */
export interface QueuedUpload {
  readonly id: number;
  readonly fileName: string;
  readonly bytes: number;
  readonly target: UploadTarget;
  readonly state: Store<UploadState>;
}

/** Totals of the queue. */
export interface UploadTotals {
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  readonly paused: number;
  /** Waiting or uploading. */
  readonly open: number;
  readonly bytes: number;
  readonly sent: number;
}

const NOTHING: UploadTotals = { count: 0, done: 0, failed: 0, paused: 0, open: 0, bytes: 0, sent: 0 };
/** Concurrent uploads: with several, small files do not wait for each other's round trips. */
const AT_ONCE = 3;

interface Outside {
  readonly user: () => string;
  readonly transport: TusTransport;
  readonly wait: TusUpload['wait'];
  readonly remembered: RememberedUploads;
  /** Called when an upload has become a File. */
  readonly onDone: (upload: QueuedUpload) => void;
}

interface Job extends QueuedUpload {
  readonly source: File;
  url: string | null;
  running: AbortController | null;
}

/**
 * Uploads files in order, a few at a time. The queue belongs to no screen, so uploads continue during
 * navigation.
 */
export class UploadQueue {
  readonly uploads: Store<readonly QueuedUpload[]> = createStore<readonly QueuedUpload[]>([]);
  readonly totals: Store<UploadTotals> = createStore(NOTHING);
  readonly #outside: Outside;
  #jobs: readonly Job[] = [];
  #lastId = 0;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  /** Adds files. A file whose upload began before a reload resumes it. */
  add(files: readonly { readonly file: File; readonly target: UploadTarget }[]): void {
    const jobs = files.map(({ file, target }) => this.#newJob(file, target));
    // Skips uploads that already run: the same file dropped twice gives two Files.
    const taken = new Set(this.#jobs.map(({ url }) => url));
    for (const job of jobs) {
      const url = this.#outside.remembered.find(this.#fingerprint(job));
      if (url === null || taken.has(url)) continue;
      taken.add(url);
      job.url = url;
    }
    this.#setJobs([...this.#jobs, ...jobs]);
    this.#startWaiting();
  }

  /** Resumes an upload of an earlier visit, with its original target. */
  goOn(file: File, url: string): void {
    const job = this.#newJob(file, { folder: '', isPrivate: true });
    job.url = url;
    this.#setJobs([...this.#jobs, job]);
    this.#startWaiting();
  }

  /** True if the upload at this URL is in the queue. */
  knows(url: string): boolean {
    return this.#jobs.some((job) => job.url === url);
  }

  /** Pauses an upload. The server keeps the received bytes. */
  pause(id: number): void {
    const job = this.#job(id);
    if (!job || !isOpen(job)) return;
    this.#change(job, { phase: 'paused' });
    job.running?.abort();
    this.#startWaiting();
  }

  /** Resumes a paused upload, or retries a failed one. */
  resume(id: number): void {
    const job = this.#job(id);
    const phase = job?.state.get().phase;
    if (!job || (phase !== 'paused' && phase !== 'failed')) return;
    this.#change(job, { phase: 'waiting', error: null });
    this.#startWaiting();
  }

  pauseAll(): void {
    // Waiting uploads first: otherwise, pausing a running one would start a waiting one.
    const open = this.#jobs.filter(isOpen);
    for (const job of open.filter((one) => !one.running)) this.pause(job.id);
    for (const job of open) this.pause(job.id);
  }

  resumeAll(): void {
    for (const { id } of this.#jobs) this.resume(id);
  }

  /** Cancels an upload, removes it from the list and deletes its data. */
  async cancel(id: number): Promise<void> {
    const job = this.#job(id);
    if (!job) return;
    const wasDone = job.state.get().phase === 'done';
    this.#setJobs(this.#jobs.filter((one) => one !== job));
    job.running?.abort();
    this.#startWaiting();
    if (wasDone) return;
    this.#outside.remembered.forget(this.#fingerprint(job));
    // If this fails, the server deletes the data after a day.
    if (job.url !== null) await endTusUpload(job.url, this.#outside.transport).catch(() => undefined);
  }

  async cancelAll(): Promise<void> {
    const unfinished = this.#jobs.filter((job) => job.state.get().phase !== 'done');
    await Promise.all([...unfinished].reverse().map(({ id }) => this.cancel(id)));
  }

  /** Removes finished uploads from the list. */
  clearDone(): void {
    this.#setJobs(this.#jobs.filter((job) => job.state.get().phase !== 'done'));
  }

  #newJob(source: File, target: UploadTarget): Job {
    this.#lastId += 1;
    const state = createStore<UploadState>({ phase: 'waiting', sent: 0, file: null, error: null });
    const { name: fileName, size: bytes } = source;
    return { id: this.#lastId, fileName, bytes, target, state, source, url: null, running: null };
  }

  #startWaiting(): void {
    let free = AT_ONCE - this.#jobs.filter((job) => job.running !== null).length;
    for (const job of this.#jobs) {
      if (free <= 0) return;
      if (job.running || job.state.get().phase !== 'waiting') continue;
      free -= 1;
      void this.#run(job);
    }
  }

  async #run(job: Job): Promise<void> {
    const { transport, wait, remembered, onDone } = this.#outside;
    const running = new AbortController();
    job.running = running;
    this.#change(job, { phase: 'uploading' });
    try {
      const file = await runTusUpload({
        file: job.source,
        metadata: metadataOf(job),
        url: job.url,
        transport,
        wait,
        signal: running.signal,
        onUrl: (url) => {
          job.url = url;
          if (url === null) remembered.forget(this.#fingerprint(job));
          else remembered.remember(this.#fingerprint(job), url);
        },
        onProgress: (sent) => {
          if (!running.signal.aborted) this.#change(job, { sent: Math.min(sent, job.bytes) });
        },
      });
      remembered.forget(this.#fingerprint(job));
      this.#change(job, { phase: 'done', sent: job.bytes, file });
      if (this.#jobs.includes(job)) onDone(job);
    } catch (error) {
      if (!running.signal.aborted)
        this.#change(job, { phase: 'failed', error: isApiError(error) ? error : null });
    } finally {
      job.running = null;
      this.#startWaiting();
    }
  }

  #fingerprint(job: Job): Fingerprint {
    const { fileName, bytes, source, target } = job;
    return { user: this.#outside.user(), fileName, bytes, lastModified: source.lastModified, target };
  }

  #job(id: number): Job | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  #change(job: Job, change: Partial<UploadState>): void {
    job.state.set({ ...job.state.get(), ...change });
    this.#sumUp();
  }

  #setJobs(jobs: readonly Job[]): void {
    this.#jobs = jobs;
    this.uploads.set(jobs);
    this.#sumUp();
  }

  #sumUp(): void {
    const totals = { ...NOTHING, count: this.#jobs.length };
    for (const { state, bytes } of this.#jobs) {
      const { phase, sent } = state.get();
      if (phase === 'waiting' || phase === 'uploading') totals.open += 1;
      else totals[phase] += 1;
      totals.bytes += bytes;
      totals.sent += sent;
    }
    this.totals.set(totals);
  }
}

function isOpen({ state }: Job): boolean {
  const { phase } = state.get();
  return phase === 'waiting' || phase === 'uploading';
}

function metadataOf({ fileName, target }: Job): Record<string, string> {
  const { folder, isPrivate, attachedTo } = target;
  const { doctype = '', docname = '', fieldname = '' } = attachedTo ?? {};
  return { filename: fileName, folder, is_private: isPrivate ? '1' : '0', doctype, docname, fieldname };
}
