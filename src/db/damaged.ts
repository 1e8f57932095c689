import { UnusableDatabase } from './unusable.ts';

/** The engine found that its files do not hold what it wrote. */
export class DamagedDatabase extends UnusableDatabase {
  /** What the engine said. */
  readonly words: string;

  constructor(cause: Error) {
    super(
      `The database is damaged: ${cause.message}. See how far with chancery doctor --deep, and restore a backup`,
      { cause },
    );
    this.name = 'DamagedDatabase';
    this.words = cause.message;
  }
}
