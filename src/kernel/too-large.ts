import { ServiceError } from './errors.ts';
import { LIMITS } from './limits.ts';

/** A requested or submitted value is too large to hold in memory. */
export class TooLarge extends ServiceError {
  constructor(message: string) {
    super('DataError', message);
  }

  /** An answer with more than `most` bytes of text. */
  static answer(most: number = LIMITS.stringLength): TooLarge {
    return new TooLarge(`The answer is larger than ${most} bytes: ask for fewer rows or fields`);
  }
}
