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
import type { Config } from '../config/config.ts';
import { requireWritableDatabase, sqliteFile } from './data-directory.ts';
import { StartError } from './start-error.ts';
import { codeOf, whyUnusable } from './why-unusable.ts';

/**
 * Keeps other servers off an SQLite database: two writers' caches and workers would not know of each other. The lock is
 * one of the operating system on a file beside the database. Who holds it is written into a second file, for the message
 * only: a process id means nothing in another container, and a copy of the directory brings the file along.
 * On PostgreSQL there is nothing to lock.
 * @returns what releases the lock
 * @throws StartError when another server has it, or the file system has no locks
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
      `${holder(note)} is using ${file} already. Stop it, or give this one another --data directory.`,
    );
  }
  try {
    // One that a killed process of another user left cannot be overwritten.
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
  // The driver is loaded only where the database is SQLite's.
  const { takeExclusiveLock } = await import('../db/sqlite/exclusive-lock.ts');
  try {
    makeFile(path);
    accessSync(path, constants.R_OK | constants.W_OK);
    return takeExclusiveLock(path);
  } catch (error) {
    // SQLite's error: it could open or make any file, so the lock itself failed.
    const hint = codeOf(error) === 'ERR_SQLITE_ERROR' ? '. The file system must have locks' : '';
    throw new StartError(`The database cannot be locked: ${whyUnusable(path, error)}${hint}`, {
      cause: error,
    });
  }
}

// SQLite would make it readable by others. `wx` never opens a file that exists. What root makes belongs to the owner of
// the directory: a migration that root ran must not keep the server's own user out.
function makeFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    const { uid, gid } = statSync(dirname(path));
    if (process.getuid?.() === 0) chownSync(path, uid, gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

// The same database under another name is the same database.
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
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return 'Another process';
}
