import type { Database } from '../../../db/database.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { loadVersions } from '../../settings/settings-table.ts';
import type { SystemSettings } from '../../settings/system-settings.ts';
import type { Metadata } from './metadata.ts';

/** Milliseconds. Half of the second within which a process promises to know a new doctype or setting. */
const EVERY = 500;

/** Follows the doctypes and System Settings of other processes. */
export interface MetadataFollower {
  /** Looks for changes now. Resolves once everything committed before the call is known. */
  look(): Promise<void>;
  /** Stops polling, after the last look. */
  stop(): Promise<void>;
}

/**
 * Polls the versions of doctypes and System Settings twice a second, and reloads the changes of other
 * processes.
 */
export function followMetadata(
  database: Database,
  metadata: Metadata,
  settings: SystemSettings,
  observe: Observer,
): MetadataFollower {
  let asking = 0;
  let last = Promise.resolve();

  async function ask(): Promise<void> {
    try {
      const versions = await loadVersions(database.reader);
      if (versions.settings !== settings.version) await settings.reload();
      // The first may share a reload that began before the change.
      for (let again = 0; again < 2 && versions.doctypes !== metadata.current.version; again += 1) {
        await metadata.reload();
      }
    } catch (error) {
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
