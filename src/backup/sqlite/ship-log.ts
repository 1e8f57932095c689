import { type FollowedLog, LogGone, type LogPiece } from '../../db/followed-log.ts';
import type { PinnedThread } from '../../db/sqlite/pinned-thread.ts';
import { waited, within } from '../../kernel/wait.ts';
import type { CopiedFile } from '../engine.ts';
import type { SqliteCopy } from '../store/manifest.ts';
import type { Repository } from '../store/repository.ts';
import { findEnd } from './log-end.ts';
import { FILES_TABLE, fileMark, NEWEST_FILES, NewFiles } from './new-files.ts';
import { encodeSegment } from './segment.ts';

/** Milliseconds from one look at the log to the next, and between attempts while the place does not answer. */
const INTERVAL = 500;
const RETRY = 2_000;
/** The longest wait of a stop for the last changes; milliseconds. */
const LAST_CHANGES = 5_000;

/** What a continuous log needs. */
export interface ShippedLog {
  readonly followed: FollowedLog;
  /** Opens the place of backups, which may be away. The signal ends what still waits for it. */
  openRepository(signal: AbortSignal): Promise<Repository>;
  /** A new name for a log, later than all earlier ones. */
  newEpoch(): string;
  /** Copies stored files that the repository lacks. Rejects when it cannot: the log waits for them. */
  copyFiles(repository: Repository, files: readonly CopiedFile[]): Promise<void>;
  /** Makes a backup with `pin`, where the log begins. The signal says that the server stops. */
  backUp(signal: AbortSignal): Promise<void>;
  /** Called at the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void;
  /** Called when changes were lost to the log, because the place was away for too long. A new backup follows. */
  readonly onGap: () => void;
  readonly interval?: number;
  readonly retry?: number;
}

/**
 * Sends the changes of a running database to the place of backups, every 500 ms. When the place is slow or away, the
 * changes wait in the database's own log, and none is lost to the next segment. When that would grow too large, the
 * log has a gap: a new one begins, with a new backup, as soon as the place answers. Commits never wait for the place.
 */
export class ContinuousLog {
  readonly #log: ShippedLog;
  readonly #stop = new AbortController();
  readonly #end = new AbortController();
  #repository: Repository | null = null;
  #isFailing = false;
  #epoch: string | null = null;
  /** True when a backup exists from which the log leads to now. */
  #hasBase = false;
  #backup: Promise<void> | null = null;
  #piece: LogPiece | null = null;
  #files = new NewFiles([]);
  #brought: readonly CopiedFile[] = [];
  #reached: number | null = null;
  #running: Promise<void> | null = null;

  constructor(log: ShippedLog) {
    this.#log = log;
  }

  /** All commits before this moment can be restored; milliseconds since the epoch, null before the first backup. */
  get reached(): number | null {
    return this.#hasBase ? this.#reached : null;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Sends what was committed until now, unless that takes too long. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await within(LAST_CHANGES, this.#running ?? Promise.resolve());
    this.#end.abort();
    await this.#running;
    this.#log.followed.leave();
  }

  /** For `sqliteEngine`: opens a state, and makes it an end of a change of the log. */
  async pin(open: () => Promise<PinnedThread>): Promise<{ state: PinnedThread; log: SqliteCopy['log'] }> {
    let state = null as PinnedThread | null;
    if (this.#epoch !== null) {
      const epoch = this.#epoch;
      try {
        const after = await this.#log.followed.cut(async () => {
          state = await open();
          return state.facts;
        });
        return { state: state ?? (await open()), log: { epoch, after } };
      } catch (error) {
        if (!(error instanceof LogGone)) {
          await state?.close();
          throw error;
        }
        this.#lose();
      }
    }
    const begun = state ?? (await open());
    return { state: begun, log: { epoch: await this.#begin(begun), after: 0 } };
  }

  async #begin(state: PinnedThread): Promise<string> {
    const hasFiles = (await state.all(FILES_TABLE)).length > 0;
    const newest = hasFiles ? await state.all(NEWEST_FILES) : [];
    this.#follow(newest.map(fileMark).reverse());
    await this.#log.followed.begin(state.facts.place, 0, this.#atEnd);
    this.#epoch = this.#log.newEpoch();
    return this.#epoch;
  }

  #follow(marks: ConstructorParameters<typeof NewFiles>[0]): void {
    this.#piece = null;
    this.#brought = [];
    this.#files = new NewFiles(marks);
  }

  readonly #atEnd: Parameters<FollowedLog['begin']>[2] = (read) => {
    const files = this.#files.look(read);
    if (files.length > 0) this.#brought = [...this.#brought, ...files];
  };

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { interval = INTERVAL, retry = RETRY } = this.#log;
    let until = Number.POSITIVE_INFINITY;
    while (performance.now() < until && !this.#end.signal.aborted) {
      if (signal.aborted) until = Math.min(until, performance.now() + LAST_CHANGES);
      else if (this.#repository && !this.#hasBase) this.#backup ??= this.#makeBase();
      const looked = performance.now();
      let wait = 0;
      try {
        this.#repository ??= await this.#open();
        const isMore = this.#epoch !== null && (await this.#send(this.#repository));
        if (this.#epoch !== null) this.#isFailing = false;
        if (!isMore && signal.aborted) break;
        if (!isMore) wait = Math.max(0, looked + interval - performance.now());
      } catch (error) {
        if (error instanceof LogGone) this.#lose();
        else this.#fail(error);
        if (signal.aborted && !this.#repository) break;
        wait = retry;
      }
      if (wait > 0) await waited(wait, signal.aborted ? this.#end.signal : signal);
    }
    if (this.#backup) await within(LAST_CHANGES, this.#backup);
    this.#repository?.target.close();
  }

  /** A server that was killed left a log that leads to here, unless another program has written since. */
  async #open(): Promise<Repository> {
    const repository = await this.#log.openRepository(this.#end.signal);
    try {
      await this.#resume(repository);
    } catch (error) {
      repository.target.close();
      throw error;
    }
    return repository;
  }

  async #resume(repository: Repository): Promise<void> {
    const { followed } = this.#log;
    const last = await findEnd(repository);
    if (!last) return;
    this.#follow(last.head.file ? [last.head.file] : []);
    if (!(await followed.resume(last.head.end, last.sequence, this.#atEnd))) return;
    this.#epoch = last.epoch;
    this.#hasBase = true;
    this.#reached = last.head.moment;
  }

  async #makeBase(): Promise<void> {
    try {
      await this.#log.backUp(this.#stop.signal);
      this.#hasBase = this.#epoch !== null;
    } catch (error) {
      this.#fail(error);
      await waited(this.#log.retry ?? RETRY, this.#stop.signal);
    } finally {
      this.#backup = null;
    }
  }

  /** Resolves to true when there may be more to send at once. */
  async #send(repository: Repository): Promise<boolean> {
    const { followed, copyFiles } = this.#log;
    const epoch = this.#epoch ?? '';
    const piece = this.#piece ?? (await followed.next());
    if (piece === null) {
      this.#reached = followed.reached;
      return false;
    }
    this.#piece = piece;
    const brought = this.#brought;
    // A document is never without its file.
    if (brought.length > 0) {
      await copyFiles(repository, brought);
      this.#brought = this.#brought.slice(brought.length);
    }
    const { sequence, changed, ...head } = piece;
    await repository.putLog(
      epoch,
      sequence,
      encodeSegment(
        { format: 1, ...head, file: this.#files.mark, brought: brought.map(({ sha256 }) => sha256) },
        changed,
      ),
    );
    this.#piece = null;
    const isLast = piece.piece === piece.pieces - 1;
    if (isLast) this.#reached = piece.moment;
    return !isLast || followed.waiting > 0 || this.#stop.signal.aborted;
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#log.onFailure(error);
    this.#isFailing = true;
  }

  #lose(): void {
    if (this.#epoch !== null) this.#log.onGap();
    this.#epoch = null;
    this.#hasBase = false;
    this.#piece = null;
  }
}
