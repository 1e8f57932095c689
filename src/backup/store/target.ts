import type { Readable } from 'node:stream';

/** An object of a backup store. */
export interface TargetObject {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
}

/** The place of backups: objects under names. */
export interface Target {
  /**
   * Durable, and compared with its size, once resolved; leaves nothing behind when it rejects. An object with
   * this name is replaced at once and as a whole. `about`: the bytes of a stream, roughly.
   */
  put(name: string, content: Buffer | Readable, about?: number): Promise<void>;
  /** Null when it does not exist. The stream delivers all bytes or fails. */
  get(name: string): Promise<Readable | null>;
  stat(name: string): Promise<Omit<TargetObject, 'name'> | null>;
  /** All objects whose names begin with `prefix`, which is empty or ends with a slash; in the order of names. */
  list(prefix: string): AsyncIterable<TargetObject>;
  /** Also succeeds when it does not exist. */
  delete(name: string): Promise<void>;
  close(): void;
}

/** Names of objects that were not completed. They are leftovers once they are old. */
export const UNFINISHED = 'tmp/';

/** @throws Error for a name that could leave the place */
export function checkName(name: string): string {
  if (!/^(?:[A-Za-z0-9][\w.-]*\/)*[A-Za-z0-9][\w.-]*$/.test(name)) throw new Error('not a name of an object');
  return name;
}
