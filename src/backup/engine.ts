import type { PostgresCopy, SqliteCopy } from './store/manifest.ts';
import type { Repository } from './store/repository.ts';

/** Reports bytes of the database that were read, and how many there are; null if unknown. */
export type DatabaseProgress = (bytes: number, total: number | null) => void;

/** A stored file that a copy of a database lists. */
export interface CopiedFile {
  readonly storageKey: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A consistent state of a database, whose parts are in the repository. */
export interface CopiedDatabase {
  readonly copy: SqliteCopy | PostgresCopy;
  /** The moment of that state; milliseconds since the epoch. */
  readonly moment: number;
  /** The number of rows per table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The files that this very state lists. */
  readonly files: AsyncIterable<CopiedFile>;
  /** What an operator has added to the database and a copy leaves out, in words. */
  readonly leftOut?: readonly string[];
}

/** Copies the database of a site. */
export interface EngineCopy {
  copy(repository: Repository, progress: DatabaseProgress): Promise<CopiedDatabase>;
}
