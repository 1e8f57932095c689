import { ServiceError } from './errors.ts';
import { LIMITS } from './limits.ts';

/** What was asked for, or is to be stored, is more than can be held at once. */
export class TooLarge extends ServiceError {
  constructor(message: string) {
    super('DataError', message);
  }

  /** An answer with more than `most` bytes of text. */
  static answer(most: number = LIMITS.stringLength): TooLarge {
    return new TooLarge(`The answer is larger than ${most} bytes: ask for fewer rows or fields`);
  }
}
