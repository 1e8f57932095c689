import { announce } from '../../base/announce.ts';
import { tn } from '../../base/i18n.ts';
import { createStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { newUploadQueue } from '../../data/uploads/browser-queue.ts';
import { folderKey, planFolders } from '../../data/uploads/folder-plan.ts';
import type { Gathered } from '../../data/uploads/gathered.ts';
import { createFolder, refreshFiles } from './file-data.ts';

/** The upload queue of this page. It continues during navigation. */
export const uploads = newUploadQueue(() => scheduleRefresh());

/**
 * Creates the folders that the files need and uploads the files.
 * @throws ApiError if a folder cannot be created
 */
export async function uploadInto(folder: string, gathered: Gathered, isPrivate: boolean): Promise<void> {
  const paths = new Map([['', folder]]);
  for (const { key, parentKey, title } of planFolders(gathered)) {
    paths.set(key, await createFolder(paths.get(parentKey) ?? folder, title));
  }
  if (paths.size > 1) void refreshFiles();
  const { files } = gathered;
  if (files.length === 0) return;
  announce(tn(files.length, '{count} file is being uploaded', '{count} files are being uploaded'));
  uploads.add(
    files.map(({ file, folder: path }) => ({
      file,
      target: { folder: paths.get(folderKey(path)) ?? folder, isPrivate },
    })),
  );
}

/** Debounce in milliseconds: several finished files cause one refresh of the lists. */
const SETTLE = 400;
let isScheduled = false;

function scheduleRefresh(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    void refreshFiles();
  }, SETTLE);
}

let openBefore = 0;

uploads.totals.subscribe(() => {
  const { open, done, failed } = uploads.totals.get();
  if (open > 0 && openBefore === 0) window.addEventListener('beforeunload', holdBack);
  if (open === 0 && openBefore > 0) {
    window.removeEventListener('beforeunload', holdBack);
    if (failed > 0)
      tellEnd('error', tn(failed, '{count} file failed to upload', '{count} files failed to upload'));
    else if (done > 0) tellEnd('success', tn(done, '{count} file uploaded', '{count} files uploaded'));
  }
  openBefore = open;
});

/** True if the upload panel is open. */
export const panelShown = createStore(false);

function tellEnd(kind: 'success' | 'error', text: string): void {
  if (panelShown.get()) announce(text, { isUrgent: kind === 'error' });
  else toast(kind, text);
}

function holdBack(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
