import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { StartError } from './start-error.ts';

/** `sqlite:…` in the data directory unless the configuration names another database. */
export function databaseUrl(config: Config): string {
  return config.database ?? `sqlite:${join(config.data, 'chancery.db')}`;
}

/** Makes the data directory, and the database's if that is elsewhere, readable by nobody else. */
export function makeDataDirectory(config: Config): void {
  try {
    makeDirectory(config.data);
    chmodSync(config.data, 0o700);
    const file = sqliteFile(config);
    if (file) makeDirectory(dirname(file));
  } catch (error) {
    throw new StartError(`The data directory ${config.data} cannot be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

// Step by step: Node's own recursion never ends on a file system that answers ENOENT for good, as /proc does.
function makeDirectory(path: string): void {
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** False when the database would be an SQLite file that is not there yet. */
export function mayHaveDatabase(config: Config): boolean {
  const file = sqliteFile(config);
  return file === null || existsSync(file);
}

/** @throws StartError when there is no SQLite database yet, rather than making one in a mistyped place */
export function requireDatabaseFile(config: Config): void {
  const file = sqliteFile(config);
  if (file && !existsSync(file)) throw new StartError(`There is no site in ${config.data}. Is --data right?`);
}

/**
 * Keeps other processes off an SQLite database: two writers' caches and workers would not know of each other.
 * A lock whose process is gone is taken over. On PostgreSQL there is nothing to lock.
 * @returns what releases the lock
 * @throws StartError when another process has it
 */
export function lockDatabase(config: Config): () => void {
  const file = sqliteFile(config);
  if (!file) return () => {};
  const path = `${file}.lock`;
  const mine = `${process.pid} ${startOf(process.pid)}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        throw new StartError(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
      }
    }
    const holder = readIfPresent(path) ?? '';
    if (isAlive(holder)) {
      throw new StartError(
        `Process ${holder.split(' ')[0]} is using ${file} already. Stop it, or give this one another --data directory.`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new StartError(`${path} keeps coming back. Is another process starting on it right now?`);
}

/** Bytes that are free where a directory is, or would be made; null where that cannot be told. */
export function freeSpace(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    return codeOf(error) === 'ENOENT' && dirname(path) !== path ? freeSpace(dirname(path)) : null;
  }
}

function sqliteFile(config: Config): string | null {
  const url = databaseUrl(config);
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}

// `<pid> <start>`: the start tells a process from a later one with the same number (containers like number 1).
function isAlive(holder: string): boolean {
  const [number = '', start = ''] = holder.split(' ');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return start === startOf(pid);
}

// The kernel's start time where /proc tells it; '' elsewhere, and there the number alone decides.
function startOf(pid: number): string {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StartError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
