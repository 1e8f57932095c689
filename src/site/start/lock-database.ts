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
 * The holder of a lock. A `supervisor` holds the site's for its workers, so that no other server begins while one of
 * them is replaced. Its `writer` holds the lock of the process that writes, which may outlive a supervisor. A `server`
 * is both.
 */
export type LockHolder = 'server' | 'supervisor' | 'writer';

const LOCKS: Readonly<Record<LockHolder, readonly string[]>> = {
  server: ['-lock', '-writer-lock'],
  supervisor: ['-lock'],
  writer: ['-writer-lock'],
};

/**
 * Keeps other servers away from an SQLite database, because the caches and workers of two writers would not
 * know of each other. The operating system's lock on a file beside the database does this. A second file
 * names the holder, for the message only: a process id means nothing in another container, and a copy of the
 * directory includes the file. On PostgreSQL there is nothing to lock.
 * @returns a function that releases the lock
 * @throws StartError when another server holds it, or the file system has no locks
 */
export async function lockDatabase(config: Config, holder: LockHolder = 'server'): Promise<() => void> {
  const given = sqliteFile(config);
  if (!given) return () => {};
  requireWritableDatabase(config);
  const file = realFile(given);
  const note = `${file}.pid`;
  const held: (() => void)[] = [];
  const unlock = () => {
    for (const release of held.toReversed()) release();
  };
  try {
    for (const name of LOCKS[holder]) {
      const release = await lock(`${file}${name}`);
      if (!release) {
        throw new StartError(
          `${holderOf(note)} is already using ${file}. Stop it, or give this one another --data directory.`,
        );
      }
      held.push(release);
    }
    if (holder === 'writer') return unlock;
    writeNote(note);
  } catch (error) {
    unlock();
    throw error;
  }
  return () => {
    try {
      rmSync(note, { force: true });
    } finally {
      unlock();
    }
  };
}

function writeNote(note: string): void {
  try {
    // A file of another user's killed process cannot be overwritten.
    rmSync(note, { force: true });
    writeFileSync(note, `${process.pid} ${hostname()}`, { mode: 0o600 });
  } catch (error) {
    throw new StartError(`The database cannot be locked: ${whyUnusable(note, error)}`, { cause: error });
  }
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

function holderOf(note: string): string {
  try {
    const [pid, ...host] = readFileSync(note, 'utf8').split(' ');
    if (/^\d+$/.test(pid ?? '')) return `Process ${pid} on ${host.join(' ')}`;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return 'Another process';
}
