import { useEffect, useRef, useState } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { newUploadQueue } from '../../data/uploads/browser-queue.ts';
import type { QueuedUpload } from '../../data/uploads/upload-queue.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { addressOfUpload, type Setup } from './import-data.ts';

/** Uploads the file of an import, privately. One file at a time: another one takes its place. */
export function useUpload(onFile: (file: Setup['file']) => void) {
  const latest = useRef(onFile);
  latest.current = onFile;
  const [queue] = useState(() => newUploadQueue((upload) => void finish(upload, latest)));
  const [upload] = useStore(queue.uploads);
  useEffect(() => () => void queue.cancelAll(), [queue]);
  const choose = async (files: Iterable<File>) => {
    const [file] = files;
    if (!file) return;
    await queue.cancelAll();
    queue.clearDone();
    queue.add([{ file, target: { folder: 'Home', isPrivate: true } }]);
  };
  return {
    upload: upload ?? null,
    choose: (files: Iterable<File>) => void choose(files),
    retry: () => queue.resumeAll(),
    cancel: () => void queue.cancelAll(),
  };
}

async function finish(
  { state, fileName }: QueuedUpload,
  onFile: { readonly current: (file: Setup['file']) => void },
): Promise<void> {
  const { file } = state.get();
  if (file === null) return;
  try {
    const url = await addressOfUpload(file);
    announce(t('{file} uploaded', { file: fileName }));
    onFile.current({ url, name: fileName });
  } catch (error) {
    tellFailure(error);
  }
}
