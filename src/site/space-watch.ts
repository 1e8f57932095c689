import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { isOutOfSpace, OutOfSpace, type SpaceUser } from '../kernel/out-of-space.ts';
import { freeSpace, sqliteFile } from './data-directory.ts';
import { filesPlaceOf } from './open-storage.ts';
import { SpaceReserve } from './space-reserve.ts';

/**
 * Tracks full disks. After the first refused change, it checks every few seconds for free space: a server
 * that is out of service gets no changes that could reveal it.
 */
export class SpaceWatch {
  readonly #config: Config;
  readonly #observe: Observer;
  readonly #looking = new Map<SpaceUser, NodeJS.Timeout>();
  #database: Database | null = null;
  #reserve: SpaceReserve | null = null;
  #taking: NodeJS.Timeout | undefined;

  constructor(config: Config, observe: Observer) {
    this.#config = config;
    this.#observe = observe;
  }

  /** Sets the database to check. */
  watch(database: Database): void {
    this.#database = database;
  }

  /** Keeps space for deletions beside an SQLite database, from soon after the start on. */
  keepReserve(): void {
    const file = sqliteFile(this.#config);
    if (file === null) return;
    const reserve = new SpaceReserve(file);
    this.#reserve = reserve;
    const observe = (error: unknown) =>
      this.#observe({ kind: 'unexpected', where: 'reserving space', error });
    this.#taking = setTimeout(() => reserve.take().catch(observe), LIMITS.spaceReserveAfter).unref();
  }

  /** True while the reserve of the database is open: only changes that make room may use it. */
  get isReserveOpen(): boolean {
    return this.#reserve?.isOpened ?? false;
  }

  /** Reports a change or a file that found no space. */
  note(of: SpaceUser): void {
    if (of === 'database') this.#reserve?.release();
    if (this.#looking.has(of)) return;
    this.#observe({ kind: 'disk_full', of, message: whereFull(this.#config, of) });
    this.#lookLater(of);
  }

  /** The users of space that, at last check, had none. */
  get full(): readonly SpaceUser[] {
    return [...this.#looking.keys()];
  }

  stop(): void {
    clearTimeout(this.#taking);
    for (const timer of this.#looking.values()) clearTimeout(timer);
    this.#looking.clear();
  }

  #lookLater(of: SpaceUser): void {
    this.#looking.set(of, setTimeout(() => this.#look(of), LIMITS.spaceLook).unref());
  }

  async #look(of: SpaceUser): Promise<void> {
    const directory = directoryOf(this.#config, of);
    const isThere =
      directory === null ? await hasRoomOnServer(this.#database) : await this.#hasRoom(of, directory);
    // The check was stopped in the meantime.
    if (!this.#looking.has(of)) return;
    if (!isThere) return this.#lookLater(of);
    this.#looking.delete(of);
    this.#observe({ kind: 'disk_has_room', of });
  }

  // What is free may be no more than the reserve.
  async #hasRoom(of: SpaceUser, directory: string): Promise<boolean> {
    if (of === 'database' && this.isReserveOpen && !(await this.#reserve?.take())) return false;
    return hasRoom(directory);
  }
}

/** Describes a full disk: its place, the free space, and a remedy. */
export function whereFull(config: Config, of: SpaceUser): string {
  const directory = directoryOf(config, of);
  if (directory === null) return 'The PostgreSQL server has no space left. Make room on its disk.';
  const free = freeSpace(directory);
  const left = free === null ? '' : ` (${Math.floor(free / 1024).toLocaleString('en')} KB are free)`;
  return `No space is left for the ${of} in ${directory}${left}. Make room on its disk.`;
}

// Null for a database on another machine, or of another user.
function directoryOf(config: Config, of: SpaceUser): string | null {
  if (of === 'database') {
    const file = sqliteFile(config);
    return file && dirname(file);
  }
  const place = filesPlaceOf(config);
  return place.kind === 'disk' ? place.root : null;
}

/** Free bytes alone do not tell: quotas and limits of the process count too. */
async function hasRoom(directory: string): Promise<boolean> {
  const path = join(directory, '.space-probe');
  try {
    const handle = await open(path, 'w', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(LIMITS.spaceProbe));
      await handle.sync();
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    return !isOutOfSpace(error);
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}

/** A temporary table uses space on the same disk, and is dropped with the transaction. */
async function hasRoomOnServer(database: Database | null): Promise<boolean> {
  try {
    await database?.transaction((connection) =>
      connection.run(
        sql`create temporary table "chancery_space_probe" on commit drop as
            select repeat('x', 1000) as "text" from generate_series(1, 1000)`,
      ),
    );
    return true;
  } catch (error) {
    return !(error instanceof OutOfSpace);
  }
}
