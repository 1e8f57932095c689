import type { Row } from '../database.ts';
import { unavailable } from '../driver-errors.ts';
import type { LogPlace } from '../followed-log.ts';
import type { Statement } from '../sql.ts';
import { Handle } from './handle.ts';
import { timed } from './meter.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** Memory for the pages of a connection that keeps a state; KiB. */
const CACHE_KIB = 512;
/** Another process would have to commit during each of so many tries, which take some 100 us. */
const TRIES = 10_000;

const LOOK: Statement = { text: 'pragma wal_checkpoint(noop)', values: [] };
const TAKE: Statement = { text: 'select 1 from sqlite_schema limit 1', values: [] };

/**
 * A committed state, kept by a read transaction. While it is kept,
 * - the database file gets no page that a later commit changed;
 * - the log keeps the frames after the state, and those before that are not in the file. It can begin anew only if
 *   the state was in the file as a whole, and then once.
 */
export interface PinnedState {
  readonly place: LogPlace;
  /** So many frames are in the database file. */
  readonly copied: number;
  /** The size of the database. */
  readonly pages: number;
  all(statement: Statement): Row[];
  end(): void;
}

/** Keeps states of an SQLite database, in this process or beside a process that writes. */
export class StatePins {
  readonly #path: string;
  readonly #looking: Handle;
  readonly #spare: Handle[] = [];
  readonly pageSize: number;
  readonly log: WriteAheadLog;

  /** @throws UnusableDatabase */
  constructor(path: string) {
    this.#path = path;
    this.#looking = this.#open();
    this.pageSize = numberOf(this.#looking, 'page_size');
    this.log = new WriteAheadLog(path, this.pageSize);
  }

  /** The newest state. */
  look(): { readonly place: LogPlace; readonly copied: number } {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const salts = this.log.salts();
      const row = this.#looking.get(LOOK);
      // The salts of a log that has just begun anew are in the file before its first frame counts.
      if (this.log.salts() !== salts) continue;
      const frame = Number(row?.['log']);
      return { place: { salts: frame === 0 ? '' : salts, frame }, copied: Number(row?.['checkpointed']) };
    }
    throw unavailable();
  }

  /** Keeps the newest state. Let it end soon: meanwhile the log grows. */
  pin(): PinnedState {
    const handle = this.#spare.pop() ?? this.#open();
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const before = this.look();
      handle.exec('begin');
      handle.get(TAKE);
      const after = this.look();
      // SQLite does not tell the place of a read transaction. Between two equal looks there is only one. A checkpoint
      // may have ended between them. Then the log may begin anew, so the frames that the first look missed are lost.
      if (isSamePlace(before.place, after.place)) return this.#pinned(handle, after);
      handle.exec('rollback');
    }
    this.#spare.push(handle);
    throw unavailable();
  }

  close(): void {
    this.log.close();
    for (const handle of [this.#looking, ...this.#spare.splice(0)]) handle.close();
  }

  #pinned(handle: Handle, { place, copied }: Omit<PinnedState, 'pages' | 'all' | 'end'>): PinnedState {
    let isKept = true;
    return {
      place,
      copied,
      pages: numberOf(handle, 'page_count'),
      all: (statement) => handle.all(statement),
      end: () => {
        if (!isKept) return;
        isKept = false;
        handle.exec('rollback');
        this.#spare.push(handle);
      },
    };
  }

  #open(): Handle {
    return Handle.open(this.#path, 'reader', timed(Number.POSITIVE_INFINITY), CACHE_KIB);
  }
}

/** True for the same state. */
export function isSamePlace(one: LogPlace, other: LogPlace): boolean {
  return one.salts === other.salts && one.frame === other.frame;
}

function numberOf(handle: Handle, pragma: 'page_size' | 'page_count'): number {
  return Number(handle.get({ text: `pragma ${pragma}`, values: [] })?.[pragma]);
}
