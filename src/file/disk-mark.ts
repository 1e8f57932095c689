import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';
import { isMissing, makeDirectory, removeFile, syncDirectory } from './disk-directory.ts';
import type { Storage } from './storage.ts';
import { MARK_NAME } from './storage-key.ts';

/** The mark of a storage as a file in its directory. */
export function diskMark(root: string): Pick<Storage, 'readMark' | 'writeMark'> {
  const path = join(root, MARK_NAME);
  return {
    async readMark() {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if (isMissing(error)) return null;
        if (errorCode(error) !== 'EISDIR') throw error;
        throw new Error(
          `${path} is a directory, but must be the file that names the database of these files. Move the directory ` +
            'away. The next start writes the file if the database knows these files.',
          { cause: error },
        );
      }
    },
    async writeMark(text, { replace }) {
      await makeDirectory(root, root);
      // Written completely before it gets its name: a crash leaves a whole mark or none.
      const temporary = `${path}.${randomBytes(8).toString('hex')}`;
      try {
        await writeDurably(temporary, text);
        if (replace) await rename(temporary, path);
        else await linkOrKeep(temporary, path);
        await syncDirectory(root);
      } finally {
        await removeFile(temporary);
      }
    },
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function linkOrKeep(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    // File systems without links, such as FAT. The writer reads the mark again.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    await rename(temporary, path);
  }
}
