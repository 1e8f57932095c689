import { type FileHandle, open, rename, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../kernel/errors.ts';
import { isOutOfSpace, OutOfSpace } from '../kernel/out-of-space.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { directoryMaker, entriesOf, isMissing, removeFile } from './disk-directory.ts';
import { diskMark } from './disk-mark.ts';
import { openObject } from './disk-object.ts';
import { diskQuarantine } from './disk-quarantine.ts';
import { measured, meter } from './meter.ts';
import { sharedSyncs } from './shared-syncs.ts';
import type { ListedObject, PutLimits, Storage, StoredObject } from './storage.ts';
import { checkStorageKey, isFan, isStorageKey, PART, type StorageKeys, storageKeys } from './storage-key.ts';

// Bytes per write: a small file takes one. Each write costs more than the copy of these bytes.
const WRITE_AT_ONCE = 128 * 1024;

/**
 * Objects as files under `root`, readable by this system user only. A file gets its key as name once it is
 * complete and fsynced, so a crash leaves only `.part` files and complete ones. `onFull` is called for each
 * object that does not fit.
 */
export function diskStorage(
  root: string,
  random: Random = systemRandom(),
  onFull: () => void = () => {},
): Storage {
  const keys = storageKeys(random);
  const directories = directoryMaker(root);
  const syncEntries = sharedSyncs();

  function pathOf(key: string): string {
    return join(root, checkStorageKey(key));
  }

  async function put(key: string, content: Readable | Buffer, limits: PutLimits): Promise<StoredObject> {
    const path = pathOf(key);
    const temporary = path + PART;
    try {
      await directories.make(dirname(path));
      const handle = await open(temporary, 'wx', 0o600);
      let stored: StoredObject;
      try {
        stored = Buffer.isBuffer(content)
          ? await writeOnce(handle, content, limits)
          : await writeAll(handle, content, limits);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path).catch(givenUp);
      await syncEntries(dirname(path));
      return stored;
    } catch (error) {
      if (!Buffer.isBuffer(content)) content.destroy();
      if (isMissing(error)) directories.forget();
      await removeIfPossible(temporary);
      await removeIfPossible(path);
      if (!isOutOfSpace(error)) throw error;
      onFull();
      throw new OutOfSpace('files', error);
    }
  }

  return {
    newKey: () => keys.next(),
    put,
    open: (key, range) => openObject(root, key, range),
    stat: (key) => sizeOf(pathOf(key)),
    delete: (key) => removeFile(pathOf(key)),
    pathOf,
    list: () => listAll(root, keys),
    quarantine: diskQuarantine(root),
    async free() {
      const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: null, bsize: 0 }));
      return bavail === null ? null : bavail * bsize;
    },
    ...diskMark(root),
  };
}

async function sizeOf(path: string): Promise<{ bytes: number } | null> {
  try {
    const { size } = await stat(path);
    return { bytes: size };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function writeOnce(handle: FileHandle, bytes: Buffer, limits: PutLimits): Promise<StoredObject> {
  const stored = measured(bytes, limits);
  await writeFully(handle, [bytes]);
  return stored;
}

async function writeAll(handle: FileHandle, stream: Readable, limits: PutLimits): Promise<StoredObject> {
  const measuring = meter(limits);
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of measuring.measure(stream)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < WRITE_AT_ONCE) continue;
    await writeFully(handle, chunks);
    [chunks, bytes] = [[], 0];
  }
  await writeFully(handle, chunks);
  return measuring.result();
}

// A write may be short, for instance when the disk fills up.
async function writeFully(handle: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  let left = chunks;
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left);
    left = behind(left, bytesWritten);
  }
}

/** The chunks without their first bytes. */
function behind(chunks: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skipped = bytes;
  let first = 0;
  for (const { length } of chunks) {
    if (skipped < length) break;
    skipped -= length;
    first += 1;
  }
  return chunks.slice(first).map((chunk, index) => (index === 0 ? chunk.subarray(skipped) : chunk));
}

// The error being reported matters more, and the next collection deletes the file.
async function removeIfPossible(path: string): Promise<void> {
  await removeFile(path).catch(() => undefined);
}

async function* listAll(root: string, keys: StorageKeys): AsyncIterable<ListedObject> {
  for (const directory of await entriesOf(root)) {
    if (!isFan(directory.name)) continue;
    for (const file of await entriesOf(join(root, directory.name))) {
      const key = `${directory.name}/${file.name}`;
      if (!isStorageKey(key)) continue;
      try {
        const { mtimeMs, size } = await stat(join(root, key));
        yield { key, modifiedAt: mtimeMs, bytes: size, ours: keys.isOurs(key) };
      } catch (error) {
        // Deleted or renamed since the directory was read.
        if (!isMissing(error)) throw error;
      }
    }
  }
}

/** An upload took so long that its object was collected. */
function givenUp(error: unknown): never {
  if (!isMissing(error)) throw error;
  throw new ServiceError('ServiceUnavailableError', 'The file took too long to arrive: send it again', {
    headers: { 'Retry-After': '1' },
  });
}
