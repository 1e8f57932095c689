import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { usableSettings } from '../db/postgres/settings.ts';
import { findDamagedLog } from '../db/sqlite/damaged-log.ts';
import { syncDirectory } from '../file/disk-directory.ts';
import { errorCode } from '../kernel/error-code.ts';
import { StartError } from './start-error.ts';
import { whyUnusable } from './why-unusable.ts';

/** The database of the configuration; default: `sqlite:…` in the data directory. */
export function databaseUrl(config: Config): string {
  return config.database ?? `sqlite:${join(config.data, 'chancery.db')}`;
}

/**
 * The database past a connection pooler, for transactions that take as long as a backup. The URL for notices need not
 * name the schema.
 */
export function directUrl(config: Config): string {
  const url = databaseUrl(config);
  const direct = config.databaseListenUrl;
  if (direct === null || sqliteFile(config) !== null) return url;
  const { schema } = usableSettings(url);
  if (schema === null) return direct;
  const others = direct.replace(/([?&])schema=[^&]*/, '$1');
  return `${others}${others.includes('?') ? '&' : '?'}schema=${schema}`;
}

/**
 * Makes the data directory, and the database's directory if that is elsewhere, readable by their owner only. Their
 * names survive a power failure.
 */
export async function makeDataDirectory(config: Config): Promise<void> {
  await usable('data directory', config.data, async (path) => {
    await makeDirectory(path);
    chmodSync(path, 0o700);
  });
  const file = sqliteFile(config);
  if (file) await usable('directory of the database', dirname(file), makeDirectory);
}

async function usable(what: string, path: string, make: (path: string) => Promise<void>): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    throw new StartError(`The ${what} cannot be used: ${whyUnusable(path, error)}`, { cause: error });
  }
}

// Step by step: Node's own recursion never ends on a file system that always answers ENOENT, such as /proc.
async function makeDirectory(path: string): Promise<void> {
  const parent = dirname(path);
  if (!existsSync(parent)) await makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
  // Also that of a directory that is there: the start that made it may have been killed.
  await syncDirectory(parent).catch((error: unknown) => {
    if (!CANNOT_SYNC.has(errorCode(error) ?? '')) throw error;
  });
}

/** This user may use the directory and not read it, or its file system syncs no directories. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP', 'EROFS']);

/**
 * False when the database would be a missing SQLite file. @throws StartError when the file system does not
 * tell
 */
export function mayHaveDatabase(config: Config): boolean {
  const file = sqliteFile(config);
  if (file === null) return true;
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw unusable(file, error);
  }
}

/** Refuses a missing SQLite database, so that a mistyped path makes no new one. @throws StartError */
export function requireDatabaseFile(config: Config): void {
  if (!mayHaveDatabase(config)) throw new StartError(`There is no site in ${config.data}. Is --data right?`);
}

/**
 * Checks that this process may write the SQLite file, because the engine's own error is terse. @throws
 * StartError
 */
export function requireWritableDatabase(config: Config): void {
  const file = sqliteFile(config);
  if (file === null || !mayHaveDatabase(config)) return;
  if (!statSync(file).isFile()) throw new StartError(`The database cannot be used: ${file} is not a file.`);
  for (const path of [dirname(file), file]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      throw unusable(path, error);
    }
  }
}

/**
 * Refuses a log of an SQLite database with damage in its middle. SQLite would open it, and silently lose what follows.
 * @throws StartError
 */
export function requireSoundLog(config: Config): void {
  const file = sqliteFile(config);
  const damaged = file === null ? null : findDamagedLog(file);
  if (!damaged) return;
  const { path, soundBytes, commits } = damaged;
  throw new StartError(
    `The log ${path} is damaged: at least ${commits} commits that were confirmed cannot be read any more. Keep a ` +
      'copy of the database and of its log, and restore a backup. To go on without these changes instead: ' +
      `truncate -s ${soundBytes} ${path}`,
  );
}

function unusable(path: string, cause: unknown): StartError {
  return new StartError(`The database cannot be used: ${whyUnusable(path, cause)}`, { cause });
}

/** Free bytes at a directory, existing or not; null when the system does not report them. */
export function freeSpace(path: string): number | null {
  return diskSpace(path)?.free ?? null;
}

/** The disk below a directory: its number, its free bytes and its size; null when the system does not report them. */
export function diskSpace(path: string): { disk: string; free: number; total: number } | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    return { disk: String(statSync(path).dev), free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    return errorCode(error) === 'ENOENT' && dirname(path) !== path ? diskSpace(dirname(path)) : null;
  }
}

/** The path without links, also of a directory that does not exist yet. */
export function realPath(path: string): string {
  return existsSync(path) || dirname(path) === path
    ? realpathSync(path)
    : join(realPath(dirname(path)), basename(path));
}

/** True for the directory itself, and for what is below it. Pass real paths. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The size of a file; 0 where there is none. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The size of SQLite's write-ahead log; null on another engine. */
export function sqliteLogBytes(config: Config): number | null {
  const file = sqliteFile(config);
  return file === null ? null : fileBytes(`${file}-wal`);
}

/** The file of an SQLite database; null on another engine. */
export function sqliteFile(config: Config): string | null {
  const url = databaseUrl(config);
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}

/** Removes the SQLite file that an interrupted restore has left. */
export function removeDatabaseFile(config: Config): void {
  const file = sqliteFile(config);
  if (file === null) return;
  removeSqliteFile(file);
}

/** Removes an SQLite file that nobody has open, and its log. */
export function removeSqliteFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Makes a directory for a while. A process that was killed may have left it with something in it. */
export function emptyDirectory(path: string): void {
  removeDirectory(path);
  mkdirSync(path, { mode: 0o700 });
}

/** Removes a directory with all that is in it. */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
