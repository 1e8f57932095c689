import type { Database } from '../../../db/database.ts';
import type { Observer } from '../../../kernel/observation.ts';
import type { Fence } from '../../fence.ts';
import { loadVersionsAndNeeds } from '../../settings/settings-table.ts';
import type { SystemSettings } from '../../settings/system-settings.ts';
import type { Metadata } from './metadata.ts';

/** Milliseconds. A process promises to know a new doctype or setting within about a second. */
const EVERY = 900;
/** The same failure is reported again after this time; milliseconds. */
const QUIET = 60_000;

/** Follows the doctypes and System Settings of other processes, and whether this one is too old. */
export interface MetadataFollower {
  /** Looks for changes now. Resolves once everything committed before the call is known. */
  look(): Promise<void>;
  /** Stops polling, after the last look. */
  stop(): Promise<void>;
}

/**
 * Polls the versions of doctypes and System Settings about once a second, and reloads the changes of other
 * processes. Raises the fence when the database needs newer code.
 */
export function followMetadata(
  database: Database,
  metadata: Metadata,
  settings: SystemSettings,
  fence: Fence,
  observe: Observer,
): MetadataFollower {
  let asking = 0;
  let last = Promise.resolve();
  let told = { message: '', at: 0 };

  async function ask(): Promise<void> {
    try {
      const versions = await loadVersionsAndNeeds(database.reader);
      fence.compare(versions.needs);
      // Definitions of a newer version may be beyond this one.
      if (fence.isUp) return;
      if (versions.settings !== settings.version) await settings.reload();
      // The first may share a reload that began before the change.
      for (let again = 0; again < 2 && versions.doctypes !== metadata.current.version; again += 1) {
        await metadata.reload();
      }
    } catch (error) {
      // Not twice a second: the cause may last.
      const message = String(error);
      const now = performance.now();
      if (message === told.message && now - told.at < QUIET) return;
      told = { message, at: now };
      observe({ kind: 'unexpected', where: 'following doctypes and settings', error });
    }
  }

  function look(): Promise<void> {
    asking += 1;
    last = last.then(ask).finally(() => {
      asking -= 1;
    });
    return last;
  }

  const timer = setInterval(() => {
    if (asking === 0) void look();
  }, EVERY);
  timer.unref();
  return {
    look,
    stop() {
      clearInterval(timer);
      return last;
    },
  };
}
