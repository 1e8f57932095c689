import { closeSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorCode } from '../../kernel/error-code.ts';
import { LogGone, type LogPlace, type PageImages } from '../followed-log.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes that are read at once. */
const CHUNK_BYTES = 1024 * 1024;

/** The last frame of each page that a part of the log changes, in the order of the frames. */
export type ChangedPages = readonly { readonly page: number; readonly frame: number }[];

/**
 * Reads the file of the write-ahead log (https://sqlite.org/walformat.html). SQLite keeps its locks on other files,
 * so closing this one drops none. Whoever reads frames keeps a state that needs them (`PinnedState`): otherwise the
 * log may begin anew.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #pageSize: number;
  #file: number | null = null;

  constructor(database: string, pageSize: number) {
    this.#path = `${database}-wal`;
    this.#pageSize = pageSize;
  }

  /** The bytes of a frame. */
  get frameBytes(): number {
    return FRAME_HEADER_BYTES + this.#pageSize;
  }

  /** The salts of the log as it is now; '' when it is empty. */
  salts(): string {
    const header = Buffer.alloc(HEADER_BYTES);
    const file = this.#open();
    if (file === null || readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return '';
    return header.toString('hex', 16, 24);
  }

  /** Identifies all frames up to this one: its checksum covers them; null when there is no such frame. */
  checksum({ salts, frame }: LogPlace): string | null {
    const file = this.#open();
    if (file === null || frame === 0) return null;
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    if (readSync(file, header, 0, FRAME_HEADER_BYTES, this.#offset(frame)) < FRAME_HEADER_BYTES) return null;
    return header.toString('hex', 8, 16) === salts ? header.toString('hex', 16, 24) : null;
  }

  /** The pages that the frames after `after` change, up to the place. @throws LogGone */
  async changes({ salts, frame: last }: LogPlace, after: number): Promise<ChangedPages> {
    const frames = new Map<number, number>();
    const wanted = saltsOf(salts);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const atOnce = Math.floor(CHUNK_BYTES / this.frameBytes);
    for (let first = after + 1; first <= last; first += atOnce) {
      const count = Math.min(atOnce, last - first + 1);
      await this.#fill(chunk, first, count);
      for (let index = 0; index < count; index += 1) {
        frames.set(pageOf(chunk, index * this.frameBytes, wanted), first + index);
      }
    }
    return [...frames].map(([page, frame]) => ({ page, frame })).sort((a, b) => a.frame - b.frame);
  }

  /** The pages of these frames. @throws LogGone */
  async images({ salts }: LogPlace, changed: ChangedPages): Promise<PageImages> {
    const images = Buffer.allocUnsafe(changed.length * this.#pageSize);
    const wanted = saltsOf(salts);
    const most = Math.min(Math.floor(CHUNK_BYTES / this.frameBytes), changed.length);
    const chunk = Buffer.allocUnsafe(most * this.frameBytes);
    for (let done = 0; done < changed.length; ) {
      // Neighbours in the log are read at once.
      const first = changed[done]?.frame ?? 0;
      let count = 1;
      while (count < most && changed[done + count]?.frame === first + count) count += 1;
      await this.#fill(chunk, first, count);
      for (let index = 0; index < count; index += 1, done += 1) {
        const at = index * this.frameBytes;
        if (pageOf(chunk, at, wanted) !== changed[done]?.page) throw new LogGone();
        chunk.copy(images, done * this.#pageSize, at + FRAME_HEADER_BYTES, at + this.frameBytes);
      }
    }
    return { numbers: changed.map(({ page }) => page), images };
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #offset(frame: number): number {
    return HEADER_BYTES + (frame - 1) * this.frameBytes;
  }

  async #fill(buffer: Buffer, first: number, count: number): Promise<void> {
    const file = this.#open();
    const bytes = count * this.frameBytes;
    if (file === null) throw new LogGone();
    const { bytesRead } = await readAt(file, buffer, 0, bytes, this.#offset(first));
    if (bytesRead < bytes) throw new LogGone();
  }

  // SQLite deletes the file with the last connection only, and whoever reads it has one.
  #open(): number | null {
    try {
      this.#file ??= openSync(this.#path, 'r');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    return this.#file;
  }
}

const readAt = promisify(read);

type Salts = readonly [number, number];

function saltsOf(salts: string): Salts {
  return [Number.parseInt(salts.slice(0, 8), 16), Number.parseInt(salts.slice(8), 16)];
}

/** The page of the frame at `at`. Called for each frame of each commit. @throws LogGone */
function pageOf(buffer: Buffer, at: number, [first, second]: Salts): number {
  if (buffer.readUInt32BE(at + 8) !== first || buffer.readUInt32BE(at + 12) !== second) throw new LogGone();
  return buffer.readUInt32BE(at);
}
