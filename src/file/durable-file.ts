import { randomBytes } from 'node:crypto';
import { link, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';
import { removeFile, syncDirectory } from './disk-directory.ts';

/**
 * Makes a small file that only this system user can read, unless there is one: false then. After a crash or a
 * power failure, there is the whole file or none. A file that root makes gets the owner of the directory, or of
 * the file that it replaces: a command run by root must not lock the server's own user out.
 */
export function createDurably(path: string, text: string): Promise<boolean> {
  return written(path, text, linked);
}

/** The same, in place of a file that may be there: after a power failure it is the old or the new one. */
export async function replaceDurably(path: string, text: string): Promise<void> {
  await written(path, text, async (temporary) => {
    await rename(temporary, path);
    return true;
  });
}

async function written(
  path: string,
  text: string,
  place: (temporary: string, path: string) => Promise<boolean>,
): Promise<boolean> {
  // Written completely before it gets its name.
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      if (process.getuid?.() === 0) {
        const { uid, gid } = await stat(path).catch(() => stat(dirname(path)));
        await handle.chown(uid, gid);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    const isPlaced = await place(temporary, path);
    await syncDirectory(dirname(path));
    return isPlaced;
  } finally {
    await removeFile(temporary);
  }
}

async function linked(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // File systems without links, such as FAT. Callers read the file again if others may write it.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    await rename(temporary, path);
  }
  return true;
}
