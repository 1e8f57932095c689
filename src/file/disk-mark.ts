import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';
import { isMissing, makeDirectory } from './disk-directory.ts';
import { createDurably, replaceDurably } from './durable-file.ts';
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
      await (replace ? replaceDurably(path, text) : createDurably(path, text));
    },
  };
}
