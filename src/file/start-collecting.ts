import type { Site } from '../document/contract.ts';
import { JOBS } from '../kernel/jobs.ts';
import { collectOrphans, isMost } from './collect-orphans.ts';
import { isStoreAway } from './delete-unused.ts';
import { pruneQuarantine, restoreKnown } from './quarantine.ts';
import { isSameMark, parseMark, type SiteMark } from './site-mark.ts';
import type { Storage } from './storage.ts';
import { announceWriter, deadWriters, forgetWriters } from './storage-writer.ts';

type Collecting = Pick<Site, 'database' | 'clock' | 'config' | 'observe' | 'jobs'>;

/** The first delay after a collection that left objects alone; milliseconds. */
const SOON = 60 * 1000;
/** The delay after a collection that left none alone. */
const EVERY = JOBS.collect_unused_files;

/**
 * Collects orphaned objects regularly until stopped, while the site already serves. Objects left alone are
 * checked again after a minute, then at growing intervals, and when a process that stored files has ended. After the
 * first collection of a process, one server at a time collects, and one at a time empties the quarantine.
 * When this resolves, known objects are back from quarantine.
 */
export async function startCollecting(
  site: Collecting,
  storage: Storage,
  mark: SiteMark,
  look: number = JOBS.empty_quarantine,
): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const { signal } = abort;
  // A database of one process implies a storage of one process.
  const alone = site.database.dialect.name === 'sqlite';
  const stopAnnouncing = alone ? null : await announceWriter(site, storage);
  const failed = (error: unknown) => tellUnlessAway(site, error);
  await tellRestored(site, storage).catch(failed);

  /** Deletes nothing from quarantine if the last collection doubted the storage. */
  let isTrusted = false;
  async function collect(): Promise<number> {
    isTrusted = false;
    if (!isSameMark(parseMark(await storage.readMark()), mark))
      throw new Error('the file storage is bound to another database now: nothing is collected');
    const ended = alone ? [] : await deadWriters(site);
    const collected = await collectOrphans(site, storage, { alone, signal });
    const { known, unknown, quarantined, spared } = collected;
    if (isMost(collected)) {
      site.observe({ kind: 'collection_stopped', known, unknown });
      return 0;
    }
    if (quarantined > 0) site.observe({ kind: 'files_collected', quarantined, deleted: 0, restored: 0 });
    await forgetWriters(site, ended);
    isTrusted = true;
    return spared;
  }

  async function prune(): Promise<number> {
    if (!isTrusted) return 0;
    const deleted = await pruneQuarantine(site, storage);
    if (deleted > 0) site.observe({ kind: 'files_collected', quarantined: 0, deleted, restored: 0 });
    return deleted;
  }

  const collection = site.jobs.job('collect_unused_files');
  const pruning = site.jobs.job('empty_quarantine');
  /** Waits, shorter when a process has ended. False when stopped meanwhile. */
  async function untilDue(delay: number): Promise<boolean> {
    collection.plan(delay);
    for (let left = delay; left > 0; left -= look) {
      // A process that does not trust the storage leaves the turn to one that does.
      if (!isTrusted || (await pruning.untilTurn(look)) <= 0) await pruning.run(prune).catch(failed);
      const pause = Math.min(left, look);
      pruning.plan(pause);
      if (!(await Promise.race([collection.wait(pause, signal), pruning.wait(pause, signal)]))) return false;
      if (collection.isAsked) return true;
      if (isTrusted && (await isLeft(site))) return true;
    }
    return true;
  }

  const collecting = (async () => {
    let delay = SOON;
    // The first time for certain: it decides whether this process trusts the storage.
    let isDue = true;
    do {
      try {
        isDue ||= collection.isAsked || (await isLeft(site)) || (await collection.untilTurn(delay)) <= 0;
        if (!isDue) continue;
        isDue = false;
        delay = (await collection.run(collect)) > 0 ? Math.min(2 * delay, EVERY) : EVERY;
      } catch (error) {
        failed(error);
        delay = Math.min(2 * delay, EVERY);
      }
    } while (await untilDue(delay));
  })();
  return async () => {
    abort.abort();
    await collecting;
    await stopAnnouncing?.();
  };
}

/** True when another process that stored files has crashed. */
async function isLeft(site: Collecting): Promise<boolean> {
  if (site.database.dialect.name === 'sqlite') return false;
  return (await deadWriters(site).catch(() => [])).length > 0;
}

function tellUnlessAway(site: Collecting, error: unknown): void {
  if (isStoreAway(error)) return;
  site.observe({ kind: 'unexpected', where: 'sweeping the file storage', error });
}

async function tellRestored(site: Collecting, storage: Storage): Promise<void> {
  const restored = await restoreKnown(site, storage);
  if (restored > 0) site.observe({ kind: 'files_collected', quarantined: 0, deleted: 0, restored });
}
