import type { Database } from '../../../db/database.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { loadVersions } from '../../settings/settings-table.ts';
import type { SystemSettings } from '../../settings/system-settings.ts';
import type { Metadata } from './metadata.ts';

/** Milliseconds. Half of the second within which a process promises to know a new doctype or setting. */
const EVERY = 500;

/**
 * Polls the versions of doctypes and System Settings twice a second, and reloads the changes of other
 * processes.
 * @returns a function that stops it, after the last poll
 */
export function followMetadata(
  database: Database,
  metadata: Metadata,
  settings: SystemSettings,
  observe: Observer,
): () => Promise<void> {
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      const versions = await loadVersions(database.reader);
      if (versions.settings !== settings.version) await settings.reload();
      if (versions.doctypes !== metadata.current.version) await metadata.reload();
    } catch (error) {
      observe({ kind: 'unexpected', where: 'following doctypes and settings', error });
    }
  }

  const timer = setInterval(() => {
    asking ??= ask().finally(() => {
      asking = null;
    });
  }, EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await asking;
  };
}
