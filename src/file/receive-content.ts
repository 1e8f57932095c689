import type { Readable } from 'node:stream';
import type { LiveSettings } from '../config/live-settings.ts';
import { tooLarge } from './meter.ts';
import type { Storage } from './storage.ts';
import type { UnclaimedContent } from './stored-file.ts';
import { withoutMetadata } from './strip-metadata.ts';

/**
 * Stores bytes that nothing refers to yet: no more than the settings let in, photos without their metadata if they say so.
 * @throws ServiceError as `Storage.put`
 */
export async function receiveInto(
  storage: Storage,
  settings: LiveSettings,
  stream: Readable,
): Promise<UnclaimedContent> {
  const { maxFileBytes: maxBytes, stripMetadata } = settings;
  const storageKey = storage.newKey();
  // What is left out came all the same.
  let left = maxBytes;
  const dropped = (bytes: number) => {
    left -= bytes;
    if (left < 0) throw tooLarge(maxBytes);
  };
  const kept = stripMetadata ? withoutMetadata(stream, dropped) : stream;
  const stored = await storage.put(storageKey, kept, { maxBytes });
  return { storage, storageKey, stored };
}
