import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory below `root` that only this system user can read. It survives a power cut. */
export async function makeDirectory(path: string, root: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const parent of [root, dirname(root)]) await syncDirectory(parent);
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and its file system journals the rename itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Succeeds also when there is no such file. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** What is in a directory; nothing when there is no such directory. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** True for the error of a file or directory that is not there. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The operating system's name of an error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
