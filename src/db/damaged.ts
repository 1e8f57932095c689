import { UnusableDatabase } from './unusable.ts';

/** The engine found damage in its files. */
export class DamagedDatabase extends UnusableDatabase {
  /** The engine's message. */
  readonly words: string;

  constructor(cause: Error) {
    super(
      `The database is damaged: ${cause.message}. Run chancery doctor --deep to see the extent, and restore a backup`,
      { cause },
    );
    this.name = 'DamagedDatabase';
    this.words = cause.message;
  }
}
