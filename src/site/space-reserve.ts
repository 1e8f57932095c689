import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LIMITS } from '../kernel/limits.ts';
import { isOutOfSpace } from '../kernel/out-of-space.ts';

/** What is written at a time; bytes. */
const PIECE = 1024 * 1024;
/** A reserve is made where it takes at most this part of the free space. */
const SHARE = 1 / 4;

/**
 * A file beside an SQLite database that takes space away. When the disk is full, the file is deleted, and only
 * changes that make room use its space. A disk that is nearly full at the start gets none.
 */
export class SpaceReserve {
  readonly #path: string;
  #isOpened = false;

  /** `database`: path of the database file. */
  constructor(database: string) {
    this.#path = `${database}-reserve`;
  }

  /** True from the time when the disk was full until the reserve is there again. */
  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Gives the space back. Without a reserve, nothing changes. */
  release(): void {
    if (!existsSync(this.#path)) return;
    rmSync(this.#path);
    this.#isOpened = true;
  }

  /** Takes the space, unless it is taken. Resolves to false where there is not enough. */
  async take(): Promise<boolean> {
    if (existsSync(this.#path)) return true;
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    // While the reserve is open, what is free may be its own space.
    const least = this.#isOpened ? LIMITS.spaceReserve + 2 * LIMITS.spaceProbe : LIMITS.spaceReserve / SHARE;
    if (bavail * bsize < least || !(await this.#write())) return false;
    this.#isOpened = false;
    return true;
  }

  // Random bytes, because a file system may store zeros without taking space.
  async #write(): Promise<boolean> {
    const file = await open(this.#path, 'wx', 0o600);
    try {
      for (let left = LIMITS.spaceReserve; left > 0; left -= PIECE) {
        await file.writeFile(randomBytes(Math.min(PIECE, left)));
      }
      await file.sync();
      return true;
    } catch (error) {
      rmSync(this.#path);
      if (isOutOfSpace(error)) return false;
      throw error;
    } finally {
      await file.close();
    }
  }
}
