import type { FileItem } from './file-item.ts';

/** Selected files and folders by name, in the order of selection. */
export type Chosen = ReadonlyMap<string, FileItem>;

export const NONE: Chosen = new Map();

/** Selects or deselects these items. */
export function choosing(before: Chosen, items: readonly FileItem[], isOn: boolean): Chosen {
  const next = new Map(before);
  for (const item of items) {
    if (isOn) next.set(item.name, item);
    else next.delete(item.name);
  }
  return next;
}

/** The number of files and of folders. */
export function countsOf(items: Iterable<FileItem>): { readonly files: number; readonly folders: number } {
  let files = 0;
  let folders = 0;
  for (const { isFolder } of items) {
    if (isFolder) folders += 1;
    else files += 1;
  }
  return { files, folders };
}
