import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { codeOf, messageOf, sqliteFile } from './data-directory.ts';
import { StartError } from './start-error.ts';

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
  const file = realFile(given);
  const note = `${file}.pid`;
  const unlock = await lock(`${file}-lock`);
  if (!unlock) {
    throw new StartError(
      `${holder(note)} is using ${file} already. Stop it, or give this one another --data directory.`,
    );
  }
  try {
    writeFileSync(note, `${process.pid} ${hostname()}`, { mode: 0o600 });
  } catch (error) {
    unlock();
    throw new StartError(`${note} cannot be written: ${messageOf(error)}`, { cause: error });
  }
  return () => {
    rmSync(note, { force: true });
    unlock();
  };
}

async function lock(path: string): Promise<(() => void) | null> {
  // The driver is loaded only where the database is SQLite's.
  const { takeExclusiveLock } = await import('../db/sqlite/exclusive-lock.ts');
  try {
    makeFile(path);
    return takeExclusiveLock(path);
  } catch (error) {
    throw new StartError(
      `${path} cannot be locked: ${messageOf(error)}. The data directory must be writable, on a file system that has locks.`,
      { cause: error },
    );
  }
}

// SQLite would make it readable by others. `wx` never opens a file that exists.
function makeFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
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
