import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Config } from '../../src/config/config.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { Storage } from '../../src/file/storage.ts';
import { findStoredFile } from '../../src/file/stored-file.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';

/** Stores a text file; resolves to its File document. */
export function storeText(site: OpenSite, text: string) {
  return unitOfWork(site, ADMINISTRATOR, (ctx) =>
    createDocument(ctx, 'File', { file_name: `${text}.txt`, content: text, is_private: 1 }),
  );
}

/** Opens the site for a while. */
export async function opened<T>(config: Config, work: (site: OpenSite) => Promise<T>): Promise<T> {
  const site = await openSite(config, { apps: [] });
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}

/** What a url of the site gives; null when there are no such bytes. */
export async function servedText({ database, storage }: OpenSite, url: unknown): Promise<string | null> {
  const file = await findStoredFile(database.reader, String(url));
  const found = file && (await storage.open(file.storageKey));
  return found ? textOf(found.body) : null;
}

/** Every text in a storage, wherever it lies: in place, or in quarantine. */
export async function keptTexts(config: Config): Promise<{ inPlace: string[]; aside: string[] }> {
  const place = filesPlaceOf(config);
  const storage = await openStorage(place, systemRandom());
  try {
    const inPlace: string[] = [];
    const aside: string[] = [];
    for (const key of await keysIn(storage)) {
      const found = await storage.open(key);
      if (found) inPlace.push(await textOf(found.body));
    }
    for await (const { key } of storage.quarantine?.list() ?? []) {
      if (place.kind === 'disk') aside.push(await readFile(join(place.root, 'quarantine', key), 'utf8'));
    }
    return { inPlace: inPlace.sort(), aside: aside.sort() };
  } finally {
    storage.close?.();
  }
}

/** Keys of the objects in place. */
export async function keysIn(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) keys.push(key);
  return keys;
}

/** Bytes of a file; 0 where there is none. */
export function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function textOf(body: Buffer | NodeJS.ReadableStream): Promise<string> {
  return (Buffer.isBuffer(body) ? body : await buffer(body)).toString('utf8');
}
