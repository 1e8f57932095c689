import type { Database } from '../db/database.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Metadata } from './metadata.ts';
import { readDoctypeVersion } from './settings-table.ts';

/** Half of the second within which other nodes promise to know a new doctype. */
const EVERY = 500;

/**
 * Asks the database for the doctype version twice a second and reloads the registry when another node raised it.
 * @returns what stops it, once the last question is answered
 */
export function followMetadata(
  database: Database,
  metadata: Metadata,
  observe: Observer,
): () => Promise<void> {
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      if ((await readDoctypeVersion(database.reader)) !== metadata.current.version) await metadata.reload();
    } catch (error) {
      observe({ kind: 'unexpected', where: 'following doctypes', error });
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
