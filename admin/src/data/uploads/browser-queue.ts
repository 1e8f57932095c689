import { knownBoot } from '../boot.ts';
import { browserTransport, waitForNetwork } from './browser-transport.ts';
import { RememberedUploads } from './remembered.ts';
import { type QueuedUpload, UploadQueue } from './upload-queue.ts';

/** A queue of this page's, for whoever is signed in. `onDone` is told of each file that has become a File. */
export function newUploadQueue(onDone: (upload: QueuedUpload) => void): UploadQueue {
  return new UploadQueue({
    user: () => knownBoot()?.user?.name ?? '',
    transport: browserTransport,
    wait: waitForNetwork,
    remembered: new RememberedUploads(localStorage),
    onDone,
  });
}
