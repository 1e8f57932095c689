import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';

/** Creates a directory below `root` that only this system user can read. Durable after a power failure. */
export async function makeDirectory(path: string, root: string): Promise<void> {
  const made = await makeMissing(path);
  // The parent of `root`, or that of the first directory that was missing above it.
  const first = made === undefined ? resolve(root) : resolve(made);
  const top = dirname(resolve(root).startsWith(first) ? first : resolve(root));
  for (let parent = resolve(path); parent !== top && parent !== dirname(parent); ) {
    parent = dirname(parent);
    await syncDirectory(parent);
  }
}

/**
 * Creates a directory and those above it; resolves to the highest that was missing. Step by step: Node's own recursion
 * never ends on a file system that always answers ENOENT, such as /proc.
 */
async function makeMissing(path: string): Promise<string | undefined> {
  try {
    return await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
    const first = await makeMissing(parent);
    const made = await makeOne(path);
    return first ?? made;
  }
}

/** Undefined when it was there, or somebody else made it at this moment. */
async function makeOne(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}

/** `makeDirectory` for directories below `root`, once for each: a sync costs more than a small file. */
export function directoryMaker(root: string): { make(path: string): Promise<void>; forget(): void } {
  const made = new Map<string, Promise<void>>();
  return {
    async make(path) {
      const making = made.get(path) ?? makeDirectory(path, root);
      made.set(path, making);
      try {
        await making;
      } catch (error) {
        made.delete(path);
        throw error;
      }
    },
    /** Directories were deleted. */
    forget: () => made.clear(),
  };
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and its file system journals the rename.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Also succeeds when the file does not exist. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The entries of a directory; none when it does not exist. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** True for the error of a missing file or directory. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
