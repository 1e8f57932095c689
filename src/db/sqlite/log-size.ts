import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

interface LogSizeOptions {
  /** Bytes from which changes are refused; default: none. */
  readonly most?: number | undefined;
  /** Bytes from which it warns. */
  readonly warning?: number | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Watches the size of the write-ahead log. A reader outside, such as a program that keeps a transaction open, keeps
 * the log from beginning anew, and it grows with every change.
 */
export class LogSize {
  readonly #options: LogSizeOptions;
  #hasWarned = false;
  #isFull = false;

  constructor(options: LogSizeOptions) {
    this.#options = options;
  }

  /** `isKept`: some of it is not in the database file, so that it cannot begin anew with the next change. */
  note(bytes: number, isKept: boolean): void {
    const { most = Number.POSITIVE_INFINITY, warning = LIMITS.logWarning, onWarning } = this.#options;
    this.#isFull = isKept && bytes > most;
    if (bytes <= warning) this.#hasWarned = false;
    else if (isKept && !this.#hasWarned) {
      this.#hasWarned = true;
      onWarning?.(
        `The write-ahead log of the database has ${Math.floor(bytes / 1024 ** 2).toLocaleString('en')} MB: a reader keeps an old state of the database. Look for a program that has the database file open, such as sqlite3 or a copy that hangs.`,
      );
    }
  }

  /** True while changes are refused. */
  get isFull(): boolean {
    return this.#isFull;
  }
}

/** The write-ahead log has reached the size that the operator allows. Nothing was written. */
export function logIsFull(): ServiceError {
  return new ServiceError(
    'InsufficientStorageError',
    'The write-ahead log of the database is too large, because a reader keeps an old state. The change can be sent again when it has ended',
    { headers: { 'Retry-After': '30' } },
  );
}
