import { chmodSync, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
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

/** Bytes that are free where a directory is, or would be made; null where that cannot be told. */
export function freeSpace(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    return codeOf(error) === 'ENOENT' && dirname(path) !== path ? freeSpace(dirname(path)) : null;
  }
}

/** The file of an SQLite database; null on another engine. */
export function sqliteFile(config: Config): string | null {
  const url = databaseUrl(config);
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}

/** The code of an error of the system, such as ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
