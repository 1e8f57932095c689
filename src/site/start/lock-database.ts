import {
  accessSync,
  chownSync,
  constants,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { requireWritableDatabase, sqliteFile } from '../data-directory.ts';
import { StartError } from '../start-error.ts';
import { whyUnusable } from '../why-unusable.ts';

/**
 * Keeps other servers away from an SQLite database, because the caches and workers of two writers would not
 * know of each other. The operating system's lock on a file beside the database does this. A second file
 * names the holder, for the message only: a process id means nothing in another container, and a copy of the
 * directory includes the file. On PostgreSQL there is nothing to lock.
 * @returns a function that releases the lock
 * @throws StartError when another server holds it, or the file system has no locks
 */
export async function lockDatabase(config: Config): Promise<() => void> {
  const given = sqliteFile(config);
  if (!given) return () => {};
  requireWritableDatabase(config);
  const file = realFile(given);
  const note = `${file}.pid`;
  const unlock = await lock(`${file}-lock`);
  if (!unlock) {
    throw new StartError(
      `${holder(note)} is already using ${file}. Stop it, or give this one another --data directory.`,
    );
  }
  try {
    // A file of another user's killed process cannot be overwritten.
    rmSync(note, { force: true });
    writeFileSync(note, `${process.pid} ${hostname()}`, { mode: 0o600 });
  } catch (error) {
    unlock();
    throw new StartError(`The database cannot be locked: ${whyUnusable(note, error)}`, { cause: error });
  }
  return () => {
    try {
      rmSync(note, { force: true });
    } finally {
      unlock();
    }
  };
}

async function lock(path: string): Promise<(() => void) | null> {
  // The driver is loaded only for an SQLite database.
  const { takeExclusiveLock } = await import('../../db/sqlite/exclusive-lock.ts');
  try {
    makeFile(path);
    accessSync(path, constants.R_OK | constants.W_OK);
    return takeExclusiveLock(path);
  } catch (error) {
    // SQLite could open or create any file, so the lock itself failed.
    const hint = errorCode(error) === 'ERR_SQLITE_ERROR' ? '. The file system must support locks' : '';
    throw new StartError(`The database cannot be locked: ${whyUnusable(path, error)}${hint}`, {
      cause: error,
    });
  }
}

// SQLite would make the file readable by others. `wx` never opens an existing file. A file that root creates
// gets the owner of the directory: a migration run by root must not lock the server's own user out.
function makeFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    const { uid, gid } = statSync(dirname(path));
    if (process.getuid?.() === 0) chownSync(path, uid, gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

// Resolves other names of the same database file.
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return join(realpathSync(dirname(file)), basename(file));
  }
}

function holder(note: string): string {
  try {
    const [pid, ...host] = readFileSync(note, 'utf8').split(' ');
    if (/^\d+$/.test(pid ?? '')) return `Process ${pid} on ${host.join(' ')}`;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return 'Another process';
}
