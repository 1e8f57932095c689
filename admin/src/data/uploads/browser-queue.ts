import { knownBoot } from '../boot.ts';
import { browserTransport, waitForNetwork } from './browser-transport.ts';
import { RememberedUploads } from './remembered.ts';
import { type QueuedUpload, UploadQueue } from './upload-queue.ts';

/** An upload queue for the signed-in user. Calls `onDone` with each finished upload. */
export function newUploadQueue(onDone: (upload: QueuedUpload) => void): UploadQueue {
  return new UploadQueue({
    user: () => knownBoot()?.user?.name ?? '',
    transport: browserTransport,
    wait: waitForNetwork,
    remembered: new RememberedUploads(localStorage),
    onDone,
  });
}
