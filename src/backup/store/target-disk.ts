import { randomUUID } from 'node:crypto';
import { open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { directoryMaker, entriesOf, isMissing, removeFile } from '../../file/disk-directory.ts';
import { handleStream } from '../../file/handle-stream.ts';
import { sharedSyncs } from '../../file/shared-syncs.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isOutOfSpace } from '../../kernel/out-of-space.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { checkName, type Target, type TargetObject, UNFINISHED } from './target.ts';

/** Objects as files of a directory that only this system user can read. Each is synced before it gets its name. */
export function diskTarget(root: string): Target {
  const directories = directoryMaker(root);
  const syncEntries = sharedSyncs();
  const pathOf = (name: string) => join(root, checkName(name));

  return {
    async put(name, content) {
      const path = pathOf(name);
      const temporary = pathOf(UNFINISHED + randomUUID());
      try {
        for (const each of [temporary, path]) await directories.make(dirname(each));
        const handle = await open(temporary, 'wx', 0o600);
        try {
          await handle.writeFile(content);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temporary, path);
        await syncEntries(dirname(path));
      } catch (error) {
        if (isMissing(error)) directories.forget();
        // The error being reported matters more, and pruning deletes the file.
        await removeFile(temporary).catch(() => undefined);
        if (!isOutOfSpace(error)) throw error;
        throw new ServiceError('InsufficientStorageError', `There is no space left for backups in ${root}`);
      }
    },

    get: (name) => orNull(() => readWhole(pathOf(name), name)),

    stat: (name) => orNull(() => figuresOf(pathOf(name))),

    list: (prefix) => listAll(root, prefix),

    delete: (name) => removeFile(pathOf(name)),

    close() {},
  };
}

async function readWhole(path: string, name: string): Promise<Readable> {
  const handle = await open(path);
  const { size } = await handle.stat();
  return handleStream(
    handle,
    { start: 0, end: size - 1 },
    () => new DamagedBackup(name, 'it ends too early'),
  );
}

async function figuresOf(path: string): Promise<Omit<TargetObject, 'name'>> {
  const { size, mtimeMs } = await stat(path);
  return { bytes: size, modifiedAt: mtimeMs };
}

async function* listAll(root: string, prefix: string): AsyncGenerator<TargetObject> {
  const entries = await entriesOf(join(root, prefix));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = prefix + entry.name;
    if (entry.isDirectory()) yield* listAll(root, `${name}/`);
    else {
      // Null when it was deleted since the directory was read.
      const found = await orNull(() => figuresOf(join(root, name)));
      if (found) yield { name, ...found };
    }
  }
}

async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
