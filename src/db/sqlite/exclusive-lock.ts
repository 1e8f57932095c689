import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../driver-errors.ts';

/**
 * Takes a lock of the operating system on `path`, an empty file that is made where it is missing. The kernel releases the
 * lock when the process ends, however it ends, and shows it to processes in other containers on the same machine.
 *
 * Node has no call for such a lock, so SQLite takes it: an exclusive transaction on a database without content, which
 * stays open. Nothing else in this process may open and close the file, because POSIX then releases the lock. Nobody may
 * delete it, because the next process would lock a new file beside the old one.
 * @returns what releases the lock, or null while another process or another caller has it
 * @throws the error of the file system that cannot make or lock the file
 */
export function takeExclusiveLock(path: string): (() => void) | null {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // A journal on the disk would outlive a kill and be copied along with a backup.
    db.exec('pragma journal_mode = memory; begin exclusive');
    return () => db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
