import type { Site } from '../document/context.ts';
import type { Storage } from './storage.ts';
import { isKeyInUse } from './stored-file.ts';

/** Longer than any upload takes from its first byte to its commit. */
const SAFE_AGE = 60 * 60 * 1000;

/**
 * Deletes what interrupted uploads and deletes left in the storage: objects without a `_stored_file` row. Objects of
 * this process are spared, for they may be on their way. So are those of other processes while they are younger than an
 * hour, unless `alone` says that no other process uses the storage. Resolves to the number deleted.
 */
export async function collectOrphans(
  site: Pick<Site, 'database'>,
  storage: Storage,
  options: { readonly alone: boolean; readonly signal?: AbortSignal },
): Promise<number> {
  const youngest = Date.now() - SAFE_AGE;
  let deleted = 0;
  // One by one: memory stays flat however many objects there are, and requests run in between.
  for await (const { key, modifiedAt, ours } of storage.list()) {
    if (options.signal?.aborted) break;
    if (ours || (!options.alone && modifiedAt > youngest)) continue;
    if (await isKeyInUse(site.database.reader, key)) continue;
    await storage.delete(key);
    deleted += 1;
  }
  return deleted;
}
