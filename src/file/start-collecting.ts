import type { Site } from '../document/context.ts';
import { waited } from '../kernel/wait.ts';
import { collectOrphans, isMost } from './collect-orphans.ts';
import { pruneQuarantine, restoreKnown } from './quarantine.ts';
import { isSameMark, parseMark, type SiteMark } from './site-mark.ts';
import type { Storage } from './storage.ts';
import { announceWriter, deadWriters, forgetWriters } from './storage-writer.ts';

type Collecting = Pick<Site, 'database' | 'clock' | 'config' | 'observe'>;

/** From a collection that spared something to the next one, at first. Milliseconds. */
const SOON = 60 * 1000;
/** From one collection to the next, when nothing was spared. */
const EVERY = 6 * 60 * 60 * 1000;
/** How often the quarantine is pruned, and ended processes are looked for. */
const LOOK = 30 * 1000;

/**
 * Collects leftovers now and then, from now until stopped: what a crash left goes while the site already
 * serves. What had to be spared is looked at again after a minute, then after longer and longer, and when a
 * process that stored files has ended. What the database knows of the quarantine is back when this resolves.
 */
export async function startCollecting(
  site: Collecting,
  storage: Storage,
  mark: SiteMark,
  look = LOOK,
): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const { signal } = abort;
  // The database of one process tells that its storage is, too.
  const alone = site.database.dialect.name === 'sqlite';
  const stopAnnouncing = alone ? null : await announceWriter(site, storage);
  const failed = (error: unknown) =>
    site.observe({ kind: 'unexpected', where: 'sweeping the file storage', error });
  await tellRestored(site, storage).catch(failed);

  /** Nothing is deleted from the quarantine of a storage that the last collection doubted. */
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

  async function prune(): Promise<void> {
    if (!isTrusted) return;
    const deleted = await pruneQuarantine(site, storage);
    if (deleted > 0) site.observe({ kind: 'files_collected', quarantined: 0, deleted, restored: 0 });
  }

  /** Waits, and less long when a process has ended. False when it was stopped meanwhile. */
  async function untilDue(delay: number): Promise<boolean> {
    for (let left = delay; left > 0; left -= look) {
      await prune().catch(failed);
      if (!(await waited(Math.min(left, look), signal))) return false;
      if (!alone && isTrusted && (await deadWriters(site).catch(() => [])).length > 0) return true;
    }
    return true;
  }

  const collecting = (async () => {
    let delay = SOON;
    do {
      try {
        delay = (await collect()) > 0 ? Math.min(2 * delay, EVERY) : EVERY;
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

async function tellRestored(site: Collecting, storage: Storage): Promise<void> {
  const restored = await restoreKnown(site, storage);
  if (restored > 0) site.observe({ kind: 'files_collected', quarantined: 0, deleted: 0, restored });
}
