import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { waited } from '../../kernel/wait.ts';

interface Held {
  /** Asks the request that holds the lock to end. */
  readonly ask: () => Promise<void> | void;
  readonly released: Promise<void>;
}

/**
 * Lets one request at a time change an upload on this node; between nodes the tables decide. A client may
 * reconnect before the server notices that its old connection broke, so a waiting request asks the holder to
 * end.
 */
export class UploadLocks {
  readonly #held = new Map<string, Held>();

  /**
   * Resolves to the release function. `signal` ends the wait.
   * @throws ServiceError UploadConflictError when the holder does not end
   */
  async take(id: string, signal: AbortSignal, ask: () => Promise<void> | void): Promise<() => void> {
    const patience = new AbortController();
    const tooLong = waited(LIMITS.partialWait, AbortSignal.any([signal, patience.signal]));
    try {
      for (let other = this.#held.get(id); other; other = this.#held.get(id)) {
        await other.ask();
        const isFree = await Promise.race([other.released.then(() => true), tooLong.then(() => false)]);
        if (!isFree) {
          throw new ServiceError('UploadConflictError', 'Another request is working on this upload');
        }
      }
    } finally {
      patience.abort();
    }
    const { promise: released, resolve } = Promise.withResolvers<void>();
    this.#held.set(id, { ask, released });
    return () => {
      this.#held.delete(id);
      resolve();
    };
  }
}
