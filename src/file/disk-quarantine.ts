import { mkdir, rename, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entriesOf, isMissing, removeFile } from './disk-directory.ts';
import { openObject } from './disk-object.ts';
import type { Quarantine } from './storage.ts';
import { checkStorageKey, isFan, isStorageKey } from './storage-key.ts';

/**
 * The directory `quarantine` of a storage: objects under their keys; their modification time is that of the
 * move. Moves are not synced: a power failure may undo one, and the next collection repeats it.
 */
export function diskQuarantine(root: string): Quarantine {
  const away = join(root, 'quarantine');
  const pathsOf = (key: string) => [join(root, checkStorageKey(key)), join(away, key)] as const;
  return {
    async add(key) {
      const [from, to] = pathsOf(key);
      try {
        const now = new Date();
        await utimes(from, now, now);
        await moveInto(from, to);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    async restore(key) {
      const [to, from] = pathsOf(key);
      if (await stat(to).catch(() => null)) return;
      await moveInto(from, to);
    },
    open: (key, range) => openObject(away, key, range),
    delete: (key) => removeFile(pathsOf(key)[1]),
    async *list() {
      for (const { name } of await entriesOf(away)) {
        if (!isFan(name)) continue;
        for (const file of await entriesOf(join(away, name))) {
          const key = `${name}/${file.name}`;
          const found = isStorageKey(key) ? await stat(join(away, key)).catch(() => null) : null;
          if (found) yield { key, bytes: found.size };
        }
      }
    },
  };
}

async function moveInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
}
