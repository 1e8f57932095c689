import type { Context } from '../document/context.ts';
import { ServiceError } from '../kernel/errors.ts';
import { filesOf, mayReadAny } from './file-access.ts';
import { parseFileUrl } from './file-name.ts';
import type { ByteRange, OpenedObject, Storage } from './storage.ts';
import { findStoredFile, type StoredFile } from './stored-file.ts';

/**
 * The stored file a url means, if the user may have its bytes now. The url is compared as text with the urls given out:
 * it never becomes a path, so there is nothing to escape from.
 * @throws ServiceError DoesNotExistError for an unknown public url; PermissionError for a private one that is unknown
 * or not the user's to read, in the same words
 */
export async function authoriseFile(ctx: Context, url: string): Promise<StoredFile> {
  const parsed = parseFileUrl(url);
  const file = parsed ? await findStoredFile(ctx.db, url) : null;
  if (!url.startsWith('/private/')) {
    if (!file || file.isPrivate) throw new ServiceError('DoesNotExistError', 'File not found');
    return file;
  }
  if (!file || ctx.user.isGuest || !(await mayReadAny(ctx, await filesOf(ctx, url)))) {
    throw new ServiceError('PermissionError', 'You are not permitted to access this file', {
      title: 'Not permitted',
    });
  }
  return file;
}

/** Opens the bytes of an authorised file. @throws ServiceError DoesNotExistError when the storage has lost them */
export async function openFile(storage: Storage, file: StoredFile, range?: ByteRange): Promise<OpenedObject> {
  const whole = file.bytes === 0 ? undefined : { start: 0, end: file.bytes - 1 };
  const opened = await storage.open(file.storageKey, range ?? whole);
  if (!opened) throw new ServiceError('DoesNotExistError', 'File not found');
  return opened;
}
