import type { Gathered } from './gathered.ts';

/** A folder to create inside another. Keys are paths below the target folder. */
export interface PlannedFolder {
  readonly key: string;
  /** '' is the target folder. */
  readonly parentKey: string;
  readonly title: string;
}

/** Folders that the files need, parents first. */
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

/** The key of a folder path. */
export function folderKey(path: readonly string[]): string {
  return path.join('/');
}

// Normalizes a folder name, because the server refuses names that it would have to change. For example, macOS
// separates letters from their accents.
function folderTitle(name: string): string {
  return name
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd\\]/gu, '')
    .trim();
}
