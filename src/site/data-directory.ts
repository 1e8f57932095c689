import { accessSync, chmodSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { StartError } from './start-error.ts';
import { codeOf, whyUnusable } from './why-unusable.ts';

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
    const why = whyUnusable(config.data, error);
    throw new StartError(`The data directory cannot be used: ${why}`, { cause: error });
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

/** False when the database would be an SQLite file that is not there yet. @throws StartError when that cannot be told */
export function mayHaveDatabase(config: Config): boolean {
  const file = sqliteFile(config);
  if (file === null) return true;
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw unusable(file, error);
  }
}

/** @throws StartError when there is no SQLite database yet, rather than making one in a mistyped place */
export function requireDatabaseFile(config: Config): void {
  if (!mayHaveDatabase(config)) throw new StartError(`There is no site in ${config.data}. Is --data right?`);
}

/** @throws StartError when this process may not write the SQLite file, which the engine would say in fewer words */
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

function unusable(path: string, cause: unknown): StartError {
  return new StartError(`The database cannot be used: ${whyUnusable(path, cause)}`, { cause });
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
