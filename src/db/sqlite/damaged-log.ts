import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../kernel/error-code.ts';

const HEADER = 32;
const FRAME_HEADER = 24;
/** The first word of a log; the last bit tells the order of the bytes in its checksums. */
const MAGIC = 0x377f0682;

/** Damage in the middle of a log: SQLite would silently leave out everything from there on. */
export interface DamagedLog {
  /** The file of the log. */
  readonly path: string;
  /** The bytes before the damage, which SQLite would use. */
  readonly soundBytes: number;
  /** Commits behind the damage that can still be seen; all but the last one were synced. */
  readonly commits: number;
}

/**
 * Looks for damage in the write-ahead log of a database that is not open yet; null if there is none that shows.
 *
 * The checksum of a frame (https://sqlite.org/walformat.html) continues that of the frame before, so SQLite ends at
 * the first frame that does not fit. After a power failure that is right: the last transaction may be torn. But a
 * transaction begins only when the one before it was synced. So a commit behind the damage with a frame of another
 * transaction behind it shows that synced frames are missing. A log that was cut, deleted or replaced does not show it.
 */
export function findDamagedLog(database: string): DamagedLog | null {
  const path = `${database}-wal`;
  const file = opened(path);
  if (file === null) return null;
  try {
    const log = Log.open(file);
    if (!log) return null;
    const sound = log.soundFrames();
    const commits = log.commitsBehind(sound);
    return commits === 0 ? null : { path, soundBytes: log.endOf(sound), commits };
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

type Sum = readonly [number, number];

/** The frames of a log, numbered from 1. One of them is in memory at a time. */
class Log {
  readonly #file: number;
  readonly #header: Buffer;
  readonly #frame: Buffer;
  readonly #isBigEndian: boolean;
  readonly #frames: number;

  private constructor(file: number, header: Buffer, pageSize: number) {
    this.#file = file;
    this.#header = header;
    this.#isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    this.#frame = Buffer.alloc(FRAME_HEADER + pageSize);
    this.#frames = Math.floor((fstatSync(file).size - HEADER) / this.#frame.length);
  }

  /** Null for a file that is no log. A header that is damaged is not told from one that was never written. */
  static open(file: number): Log | null {
    const header = Buffer.alloc(HEADER);
    if (readSync(file, header, 0, HEADER, 0) < HEADER) return null;
    const pageSize = header.readUInt32BE(8);
    const isLog = (header.readUInt32BE(0) & ~1) === MAGIC && pageSize >= 512 && pageSize <= 65_536;
    if (!isLog) return null;
    const log = new Log(file, header, pageSize);
    return same(log.#summed([0, 0], header.subarray(0, 24)), sumAt(header, 24)) ? log : null;
  }

  /** The bytes up to the end of a frame. */
  endOf(frame: number): number {
    return HEADER + frame * this.#frame.length;
  }

  /** How many frames fit to those before them. */
  soundFrames(): number {
    let sum = sumAt(this.#header, 24);
    for (let frame = 1; frame <= this.#frames; frame += 1) {
      this.#read(frame);
      if (!this.#fits(sum)) return frame - 1;
      sum = sumAt(this.#frame, 16);
    }
    return this.#frames;
  }

  /** The commits among the frames behind these that fit to one another, with a frame behind each of them. */
  commitsBehind(sound: number): number {
    let commits = 0;
    let before: Sum | null = null;
    let wasCommit = false;
    for (let frame = sound + 1; frame <= this.#frames; frame += 1) {
      this.#read(frame);
      const fits = before !== null && this.#fits(before);
      if (fits && wasCommit) commits += 1;
      wasCommit = fits && this.#frame.readUInt32BE(4) !== 0;
      before = this.#isOfThisLog() ? sumAt(this.#frame, 16) : null;
    }
    return commits;
  }

  #read(frame: number): void {
    readSync(this.#file, this.#frame, 0, this.#frame.length, this.endOf(frame - 1));
  }

  // The rest of the file may be of an earlier log, which had other salts.
  #isOfThisLog(): boolean {
    return this.#frame.compare(this.#header, 16, 24, 8, 16) === 0;
  }

  #fits(before: Sum): boolean {
    if (!this.#isOfThisLog()) return false;
    const sum = this.#summed(
      this.#summed(before, this.#frame.subarray(0, 8)),
      this.#frame.subarray(FRAME_HEADER),
    );
    return same(sum, sumAt(this.#frame, 16));
  }

  #summed([first, second]: Sum, bytes: Buffer): Sum {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const little = !this.#isBigEndian;
    let [a, b] = [first, second];
    for (let at = 0; at < bytes.length; at += 8) {
      a = (a + view.getUint32(at, little) + b) >>> 0;
      b = (b + view.getUint32(at + 4, little) + a) >>> 0;
    }
    return [a, b];
  }
}

function sumAt(bytes: Buffer, at: number): Sum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function same(one: Sum, other: Sum): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
