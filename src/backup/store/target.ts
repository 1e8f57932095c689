import type { Readable } from 'node:stream';
import { ServiceError } from '../../kernel/errors.ts';

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
   * @throws ObjectKept when the store lets nobody replace an object
   */
  put(name: string, content: Buffer | Readable, about?: number): Promise<void>;
  /** Null when it does not exist. The stream delivers all bytes or fails. */
  get(name: string): Promise<Readable | null>;
  stat(name: string): Promise<Omit<TargetObject, 'name'> | null>;
  /** All objects whose names begin with `prefix`, which is empty or ends with a slash; in the order of names. */
  list(prefix: string): AsyncIterable<TargetObject>;
  /** Also succeeds when it does not exist. @throws ServiceError PermissionError when the store refuses */
  delete(name: string): Promise<void>;
  /** Ends what is in progress, which rejects. */
  close(): void;
}

/** An object of this name is in the place, and the store refuses to replace it. */
export class ObjectKept extends ServiceError {
  constructor(name: string, why: string) {
    super('PermissionError', `The backup store refuses to replace ${name}: ${why}`);
  }
}

/** Names of objects that were not completed. They are leftovers once they are old. */
export const UNFINISHED = 'tmp/';

/** @throws Error for a name that could leave the place */
export function checkName(name: string): string {
  if (!/^(?:[A-Za-z0-9][\w.-]*\/)*[A-Za-z0-9][\w.-]*$/.test(name)) throw new Error('not a name of an object');
  return name;
}
