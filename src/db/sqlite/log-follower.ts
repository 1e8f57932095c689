import { LIMITS } from '../../kernel/limits.ts';
import {
  type FollowedLog,
  type FollowLog,
  LogGone,
  type LogMark,
  type LogPiece,
  type LogPlace,
  type PageImages,
  type ReadState,
} from '../followed-log.ts';
import { isSamePlace, type PinnedState, StatePins } from './state-pins.ts';
import type { ChangedPages } from './write-ahead-log.ts';

/** The most bytes of one piece. */
const PIECE_BYTES = 4 * 1024 * 1024;

interface Waiting {
  readonly piece: Omit<LogPiece, 'changed'>;
  readonly place: LogPlace;
  readonly pages: ChangedPages;
  changed: PageImages | null;
}

/**
 * Follows the log of this process and of all others, without a gap and without holding up commits: a read
 * transaction keeps a state whose frames are read already (`PinnedState`). Whoever checkpoints, the log cannot begin
 * anew before a newer state is kept. A change that was begun keeps both of its ends until it is read.
 */
export class LogFollower implements FollowedLog {
  readonly #pins: StatePins;
  readonly #options: FollowLog;
  /** Keeps the frames that are not read yet; null when the log is not followed. */
  #guard: PinnedState | null;
  /** The end of the newest change, while some of its pages are not read. */
  #end: PinnedState | null = null;
  /** The end of the newest change. Null before the beginning. */
  #at: LogPlace | null = null;
  #sequence = 0;
  #atEnd: (read: ReadState) => void = () => {};
  #waiting: Waiting[] = [];
  #reached = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, options: FollowLog) {
    this.#pins = new StatePins(path);
    this.#options = options;
    this.#guard = this.#pins.pin();
  }

  get reached(): number {
    return this.#reached;
  }

  async begin(from: LogPlace, sequence: number, atEnd: (read: ReadState) => void): Promise<void> {
    await this.#inTurn(async () => this.#begin(from, sequence, atEnd));
  }

  resume(from: LogMark, sequence: number, atEnd: (read: ReadState) => void): Promise<boolean> {
    return this.#inTurn(async () => {
      const { salts, frame, checksum } = from;
      const there = this.#guard?.place;
      if (frame === 0 || there?.salts !== salts || frame > there.frame) return false;
      if (this.#pins.log.checksum(from) !== checksum) return false;
      this.#begin({ salts, frame }, sequence, atEnd);
      return true;
    });
  }

  next(): Promise<LogPiece | null> {
    return this.#inTurn(async () => {
      this.#following();
      if (this.#waiting.length === 0) await this.#look();
      const [first] = this.#waiting;
      if (!first) return null;
      const changed = await this.#read(first);
      this.#waiting.shift();
      this.#settle();
      const { piece, pieces, moment } = first.piece;
      if (piece === pieces - 1) this.#reached = moment;
      return { ...first.piece, changed };
    });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  cut(pin: () => Promise<{ place: LogPlace; pages: number }>): Promise<number> {
    return this.#inTurn(async () => {
      this.#following();
      const moment = this.#now();
      const { place, pages } = await pin();
      const now = this.#pins.pin();
      try {
        this.#atEnd(now.all);
      } finally {
        now.end();
      }
      await this.#add(place, pages, moment);
      // The other transaction keeps the frames only during this call.
      for (const waiting of this.#waiting) await this.#read(waiting);
      this.#settle();
      return this.#sequence;
    });
  }

  leave(): void {
    this.#guard?.end();
    this.#end?.end();
    this.#guard = null;
    this.#end = null;
    this.#at = null;
    this.#waiting = [];
  }

  /**
   * Before a checkpoint: reads all that was committed, so that the checkpoint need not leave it in the log. Without
   * effect when nobody takes the pieces fast enough.
   */
  async catchUp(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#at || !(await this.#readWaiting())) return;
      await this.#look();
      await this.#readWaiting();
      // Whoever waits for the next piece begins again, and meets the error there.
    }).catch(() => this.leave());
  }

  /** After a checkpoint: lets the log begin anew if all of it is read, and in the database file. */
  letGo(): void {
    if (!this.#guard || !this.#at || this.#end || !isSamePlace(this.#guard.place, this.#at)) return;
    const next = this.#pins.pin();
    if (isSamePlace(next.place, this.#at)) {
      this.#guard.end();
      this.#guard = next;
    } else next.end();
  }

  /** Tells the number of frames in the log. It must not grow for ever while the follower is slow. */
  noteFrames(frames: number): void {
    if (!this.#guard) return;
    const { frame } = this.#guard.place;
    const behind = frames < frame ? frames : frames - frame;
    const most = this.#options.behindBytes ?? LIMITS.logBehind;
    if (behind * this.#pins.log.frameBytes > most) this.leave();
  }

  async close(): Promise<void> {
    this.leave();
    await this.#last;
    this.#pins.close();
  }

  #begin(from: LogPlace, sequence: number, atEnd: (read: ReadState) => void): void {
    this.#end?.end();
    this.#end = null;
    this.#waiting = [];
    this.#guard ??= this.#pins.pin();
    this.#at = from;
    this.#sequence = sequence;
    this.#atEnd = atEnd;
  }

  /** Adds the change from the last end to the newest state. */
  async #look(): Promise<void> {
    const moment = this.#now();
    const { place } = this.#pins.look();
    if (this.#at && isSamePlace(place, this.#at)) {
      this.#reached = moment;
      return;
    }
    const next = this.#pins.pin();
    try {
      this.#atEnd(next.all);
      await this.#add(next.place, next.pages, moment);
    } catch (error) {
      next.end();
      throw error;
    }
    this.#end?.end();
    this.#end = next;
    this.#settle();
  }

  async #add(place: LogPlace, pages: number, moment: number): Promise<void> {
    const at = this.#following();
    const after = place.salts === at.salts ? at.frame : 0;
    if (place.frame < after) throw new LogGone();
    const changed = await this.#pins.log.changes(place, after);
    this.#following();
    const { pageSize } = this.#pins;
    const most = Math.max(1, Math.floor((this.#options.pieceBytes ?? PIECE_BYTES) / pageSize));
    const pieces = Math.ceil(changed.length / most);
    const end = { ...place, checksum: this.#pins.log.checksum(place) ?? '' };
    for (let piece = 0; piece < pieces; piece += 1) {
      this.#sequence += 1;
      this.#waiting.push({
        piece: { sequence: this.#sequence, moment, pages, pageSize, piece, pieces, end },
        place,
        pages: changed.slice(piece * most, (piece + 1) * most),
        changed: null,
      });
    }
    this.#at = place;
    if (pieces === 0) this.#reached = moment;
  }

  async #read(waiting: Waiting): Promise<PageImages> {
    this.#following();
    waiting.changed ??= await this.#pins.log.images(waiting.place, waiting.pages);
    this.#following();
    return waiting.changed;
  }

  /** False when it would be too much for the memory. */
  async #readWaiting(): Promise<boolean> {
    const bytes = this.#waiting.reduce((sum, { pages }) => sum + pages.length * this.#pins.pageSize, 0);
    if (bytes > (this.#options.waitingBytes ?? LIMITS.logWaiting)) return false;
    for (const waiting of this.#waiting) await this.#read(waiting);
    this.#settle();
    return true;
  }

  /** Once all is read, the log need only be kept from the newest end. */
  #settle(): void {
    if (!this.#end || this.#waiting.some(({ changed }) => changed === null)) return;
    this.#guard?.end();
    this.#guard = this.#end;
    this.#end = null;
  }

  #following(): LogPlace {
    if (!this.#guard || !this.#at) throw new LogGone();
    return this.#at;
  }

  #now(): number {
    return this.#options.now();
  }

  /** One read after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
