import type { Readable } from 'node:stream';
import type { LiveSettings } from '../config/live-settings.ts';
import { tooLarge } from './meter.ts';
import type { Storage } from './storage.ts';
import type { UnclaimedContent } from './stored-file.ts';
import { withoutMetadata } from './strip-metadata.ts';

/**
 * Stores bytes that nothing refers to yet, within the limit of the settings. Removes the metadata of photos
 * if a setting says so.
 * @throws ServiceError as `Storage.put`
 */
export async function receiveInto(
  storage: Storage,
  settings: LiveSettings,
  content: Readable | Buffer,
): Promise<UnclaimedContent> {
  const { maxFileBytes: maxBytes, stripMetadata } = settings;
  const storageKey = storage.newKey();
  // Removed bytes count towards the limit, since they were received.
  let left = maxBytes;
  const dropped = (bytes: number) => {
    left -= bytes;
    if (left < 0) throw tooLarge(maxBytes);
  };
  const kept = stripMetadata ? withoutMetadata(content, dropped) : content;
  const stored = await storage.put(storageKey, kept, { maxBytes });
  return { storage, storageKey, stored };
}
