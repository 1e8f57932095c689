import { databaseError, StorageFailure } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import type { Handle } from './handle.ts';

/** A checkpoint begins when so much of the log is not in the database file yet; bytes. */
const DUE_BYTES = 32 * 1024 * 1024;
/** A page in the log, with its header; bytes. */
const PAGE_BYTES = 4096 + 24;

/** Both return the pages of the log, and how many of them are in the database file. */
const LOOK: Statement = { text: 'pragma wal_checkpoint(noop)', values: [] };
const COPY: Statement = { text: 'pragma wal_checkpoint(passive)', values: [] };

interface Options {
  readonly dueBytes?: number | undefined;
  /** Runs a statement on a thread with a connection of its own. */
  readonly onThread: (statement: Statement) => Promise<unknown>;
  readonly onFailure: (failure: StorageFailure) => void;
  /** Told after each commit the bytes of the log, and whether some are not in the database file. */
  readonly onSize?: (bytes: number, isKept: boolean) => void;
  /** Has to read the log before it begins anew. */
  readonly follower?: Follower | null;
}

/** The part of `LogFollower` that a checkpoint needs. */
interface Follower {
  catchUp(): Promise<void>;
  letGo(): void;
  noteFrames(frames: number): void;
}

/**
 * Copies the write-ahead log into the database file. The fewer checkpoints, the fewer pages: one that many
 * commits changed is copied once. A thread does most of it while commits go on. The rest is copied between two
 * commits, because the log begins anew only when all of it is in the file. It also waits for reads of older
 * states, which have a time limit. A follower of the log reads it first (`LogFollower`).
 */
export class Checkpoints {
  readonly #handle: Handle;
  readonly #options: Options;
  /** Pages. */
  readonly #step: number;
  /** So many pages outside the file are the reason for the next checkpoint. */
  #due: number;
  #thread: Promise<void> | null = null;
  #isRestLeft = false;

  constructor(handle: Handle, options: Options) {
    this.#handle = handle;
    this.#options = options;
    this.#step = (options.dueBytes ?? DUE_BYTES) / PAGE_BYTES;
    this.#due = this.#step;
  }

  /**
   * Begins or continues a checkpoint that is due. Call it after each commit, outside transactions. A result is
   * to be awaited before the next one: the thread is slower than the commits.
   */
  look(): Promise<void> | null {
    try {
      if (this.#isRestLeft) {
        const { follower } = this.#options;
        if (follower) return this.#copyRestBehind(follower);
        this.#copyRest();
      }
      const left = this.#pagesLeft(LOOK);
      if (this.#thread) return left < this.#due + this.#step ? null : this.#thread;
      if (left >= this.#due) this.#thread = this.#copyOnThread();
    } catch (error) {
      this.#note(error);
    }
    return null;
  }

  /** Tries again to copy all of the log, although no commit asks for it. */
  retry(): void {
    this.#thread ??= this.#copyOnThread().then(() => {
      try {
        this.#pagesLeft(LOOK);
      } catch (error) {
        this.#note(error);
      }
    });
  }

  async #copyOnThread(): Promise<void> {
    const { follower, onThread } = this.#options;
    try {
      await follower?.catchUp();
      await onThread(COPY);
      // Most of what was committed meanwhile, while commits go on.
      await follower?.catchUp();
    } catch (error) {
      this.#note(error);
    }
    this.#thread = null;
    this.#isRestLeft = true;
  }

  /** The next group of commits waits for it. */
  async #copyRestBehind(follower: Follower): Promise<void> {
    this.#isRestLeft = false;
    try {
      await follower.catchUp();
      this.#copyRest();
      follower.letGo();
    } catch (error) {
      this.#note(error);
    }
  }

  #copyRest(): void {
    this.#isRestLeft = false;
    // A read may need what is left. Trying again at each commit would be in vain.
    this.#due = this.#pagesLeft(COPY) + this.#step;
  }

  #pagesLeft(statement: Statement): number {
    const row = this.#handle.get(statement);
    const frames = Number(row?.['log']);
    const left = frames - Number(row?.['checkpointed']);
    this.#options.follower?.noteFrames(frames);
    this.#options.onSize?.(frames * PAGE_BYTES, left > 0);
    return left;
  }

  // Any other failure leaves the log longer, and the next checkpoint tries again.
  #note(error: unknown): void {
    const failure = databaseError(error);
    if (failure instanceof StorageFailure) this.#options.onFailure(failure);
  }
}
