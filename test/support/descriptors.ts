import { readdir, readlink } from 'node:fs/promises';

/** What this process, and so the server of a test site, has open right now. */
export interface Descriptors {
  /** Paths of the open files under the folder. */
  readonly files: readonly string[];
  readonly sockets: number;
}

/** Lists open files under a folder and counts sockets; null where the system does not say. */
export async function openDescriptors(folder: string): Promise<Descriptors | null> {
  const names = await readdir('/proc/self/fd').catch(() => null);
  if (names === null) return null;
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return {
    files: paths.filter((path) => path.startsWith(folder)),
    sockets: paths.filter((path) => path.startsWith('socket:')).length,
  };
}
