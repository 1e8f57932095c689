import type { FieldValue } from '../kernel/value.ts';
import type { Statement } from './sql.ts';

/**
 * A state of an SQLite database: after so many frames of a log. A log that begins anew has other salts. An empty log
 * has no salts.
 */
export interface LogPlace {
  readonly salts: string;
  readonly frame: number;
}

/** A place, and the checksum of the log up to there; '' at the beginning of a log. */
export interface LogMark extends LogPlace {
  readonly checksum: string;
}

/** Images of pages, one behind the other in the order of `numbers`. */
export interface PageImages {
  readonly numbers: readonly number[];
  readonly images: Buffer;
}

/**
 * The pages that changed from one committed state to a later one, or some of them: a large change has several pieces,
 * and only the end of the last one is a state.
 */
export interface LogPiece {
  readonly sequence: number;
  /** All commits before this moment are in the state at the end; milliseconds since the epoch. */
  readonly moment: number;
  /** The size of the database at the end. */
  readonly pages: number;
  readonly pageSize: number;
  /** From 0. */
  readonly piece: number;
  readonly pieces: number;
  /** The end in the write-ahead log. A server that was killed continues from there. */
  readonly end: LogMark;
  readonly changed: PageImages;
}

/** Reads the state at the end of a change, or one shortly after it. */
export type ReadState = (statement: Statement) => readonly Readonly<Record<string, FieldValue>>[];

/** Follows the write-ahead log of SQLite: hands on every change of the database, whichever process made it. */
export interface FollowedLog {
  /**
   * Follows from a state that another read transaction keeps during this call. `atEnd` is called at the end of each
   * change, before its first piece is handed on.
   */
  begin(from: LogPlace, sequence: number, atEnd: (read: ReadState) => void): Promise<void>;
  /** Follows from a place of an earlier process. False when the log does not lead from there to here. */
  resume(from: LogMark, sequence: number, atEnd: (read: ReadState) => void): Promise<boolean>;
  /** The next piece; null when there was no change. @throws LogGone when the follower was too slow: begin again */
  next(): Promise<LogPiece | null>;
  /** All commits before this moment have been handed on; milliseconds since the epoch. */
  readonly reached: number;
  /** Pieces that are ready. */
  readonly waiting: number;
  /**
   * Ends a change at a state that `pin` keeps with another read transaction. Resolves to the sequence of its last
   * piece. @throws LogGone
   */
  cut(pin: () => Promise<{ readonly place: LogPlace; readonly pages: number }>): Promise<number>;
  /** Follows no longer, until it begins again. The log no longer waits. */
  leave(): void;
}

/** How to follow; the sizes are for tests. */
export interface FollowLog {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The most bytes of one piece; default: 4 MiB. */
  readonly pieceBytes?: number;
  /** Bytes of pieces that wait in memory; default: LIMITS.logWaiting. */
  readonly waitingBytes?: number;
  /** Bytes of the log that are kept for a slow follower; default: LIMITS.logBehind. */
  readonly behindBytes?: number;
}

/** The log began anew before all of it was read. */
export class LogGone extends Error {
  constructor() {
    super('the write-ahead log began anew before it was read');
    this.name = 'LogGone';
  }
}
