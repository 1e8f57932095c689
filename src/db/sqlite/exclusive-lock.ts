import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../driver-errors.ts';

/**
 * Takes an operating-system lock on `path`, an empty file that is created if missing. The kernel releases the
 * lock when the process ends, in any way, and enforces it across containers on the same machine.
 *
 * Node has no call for such a lock, so SQLite takes it: an exclusive transaction on an empty database, which
 * stays open. No other code in this process may open and close the file, because POSIX then releases the
 * lock. Never delete the file, because the next process would lock a new file beside the old one.
 * @returns a function that releases the lock, or null while another process or caller has it
 * @throws the file system's error when it cannot create or lock the file
 */
export function takeExclusiveLock(path: string): (() => void) | null {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // A journal on the disk would survive a kill and be copied with a backup.
    db.exec('pragma journal_mode = memory; begin exclusive');
    return () => db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
