import { syncDirectory } from './disk-directory.ts';

/**
 * `syncDirectory` for many entries at once. While a directory is synced, further callers wait, and share the next
 * sync. A failure reaches them too, since their entries may be lost with it.
 */
export function sharedSyncs(sync = syncDirectory): (path: string) => Promise<void> {
  const syncs = new Map<string, { readonly running: Promise<void>; next: Promise<void> | null }>();

  function begin(path: string): Promise<void> {
    const running = sync(path).finally(() => syncs.delete(path));
    syncs.set(path, { running, next: null });
    return running;
  }

  return (path) => {
    const current = syncs.get(path);
    if (!current) return begin(path);
    current.next ??= current.running.then(() => begin(path));
    return current.next;
  };
}
