/** Files to upload, with their folder paths below the drop target. */
export interface Gathered {
  readonly files: readonly GatheredFile[];
  /** Paths of empty folders, which are created too. */
  readonly emptyFolders: readonly (readonly string[])[];
}

export interface GatheredFile {
  readonly file: File;
  readonly folder: readonly string[];
}

/** Files of a file input. With `webkitdirectory`, they include their folder paths. */
export function gatherChosen(files: Iterable<File>): Gathered {
  const gathered = [...files].map((file) => ({
    file,
    folder: (file.webkitRelativePath ?? '').split('/').slice(0, -1),
  }));
  return { files: gathered, emptyFolders: [] };
}

/**
 * Files and folders of a drop. Call it during the event: afterwards the browser hides the data. Skips
 * unreadable entries.
 */
export function gatherDropped(transfer: DataTransfer): Promise<Gathered> {
  const entries: FileSystemEntry[] = [];
  const loose: File[] = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.() ?? null;
    const file = entry === null ? item.getAsFile() : null;
    if (entry) entries.push(entry);
    else if (file) loose.push(file);
  }
  return walk(entries, loose);
}

async function walk(entries: readonly FileSystemEntry[], loose: readonly File[]): Promise<Gathered> {
  const files: GatheredFile[] = loose.map((file) => ({ file, folder: [] }));
  const emptyFolders: string[][] = [];
  const visit = async (entry: FileSystemEntry, folder: readonly string[]): Promise<void> => {
    if (entry.isFile) {
      const file = await fileOf(entry as FileSystemFileEntry);
      if (file) files.push({ file, folder });
      return;
    }
    const path = [...folder, entry.name];
    const children = await childrenOf(entry as FileSystemDirectoryEntry);
    if (children.length === 0) emptyFolders.push(path);
    for (const child of children) await visit(child, path);
  };
  for (const entry of entries) await visit(entry, []);
  return { files, emptyFolders };
}

function fileOf(entry: FileSystemFileEntry): Promise<File | null> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(null)));
}

// The reader returns up to a hundred entries per call, and none at the end.
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) return found;
    found.push(...some);
  }
}
