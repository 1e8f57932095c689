import { isMissingRelation } from '../db/driver-errors.ts';
import { laterStateAfter } from './after/kept-state.ts';
import { type LaterState, readLaterState } from './after/later-state.ts';
import { restoreDatabase } from './restore.ts';
import { openRestored } from './restored-reader.ts';
import { logOf, newestWithLog, reachedBefore } from './sqlite/log-end.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import type { Repository } from './store/repository.ts';

/**
 * What a restore must know of the newest state in the place after a moment; null when it holds none. The end of a
 * continuous log is restored beside the database for it: a backup knows nothing of what came after it. What is damaged
 * is passed over, and added to `unread`, a line each.
 */
export async function newestState(
  repository: Repository,
  moment: number,
  scratch: { readonly url: string; remove(): void },
  unread: string[],
): Promise<LaterState | null> {
  const kept = await laterStateAfter(repository, moment, unread);
  const newest = await newestWithLog(repository);
  const log = newest && logOf(newest);
  const passOver = (error: unknown) => {
    if (!(error instanceof DamagedBackup)) throw error;
    unread.push(error.message);
    return null;
  };
  const end = log && (await reachedBefore(repository, log, Number.MAX_SAFE_INTEGER).catch(passOver));
  if (!newest || !end || end <= moment) return kept;
  try {
    const latest = { manifest: newest, at: Number.MAX_SAFE_INTEGER };
    await restoreDatabase(repository, latest, scratch.url, () => {});
    const { connection, close } = await openRestored(scratch.url, new AbortController().signal);
    try {
      return await readLaterState(connection);
    } finally {
      await close();
    }
  } catch (error) {
    // The wanted state can be whole even if a later one is not, or has the tables of another version.
    return isMissingRelation(error) ? kept : (passOver(error) ?? kept);
  } finally {
    scratch.remove();
  }
}
