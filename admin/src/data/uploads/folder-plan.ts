import type { Gathered } from './gathered.ts';

/** A folder to be made within another; both named by their paths below the target. */
export interface PlannedFolder {
  readonly key: string;
  /** '' is the target. */
  readonly parentKey: string;
  readonly title: string;
}

/** Folders that files need, each after the one that it lies in. */
export function planFolders({ files, emptyFolders }: Gathered): readonly PlannedFolder[] {
  const planned = new Map<string, PlannedFolder>();
  for (const path of [...files.map(({ folder }) => folder), ...emptyFolders]) {
    path.forEach((name, index) => {
      const key = folderKey(path.slice(0, index + 1));
      if (planned.has(key)) return;
      planned.set(key, { key, parentKey: folderKey(path.slice(0, index)), title: folderTitle(name) });
    });
  }
  return [...planned.values()];
}

/** The key of a path of folders. */
export function folderKey(path: readonly string[]): string {
  return path.join('/');
}

// What the server would strip of a name it refuses in a folder's: macOS writes letters and their marks apart,
// for one.
function folderTitle(name: string): string {
  return name
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd\\]/gu, '')
    .trim();
}
