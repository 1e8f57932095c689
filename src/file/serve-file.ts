import { loadUser } from '../access/load-user.ts';
import { readContext } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { filesOf, mayReadAny } from './file-access.ts';
import { parseFileLink } from './file-link.ts';
import { parseFileUrl } from './file-name.ts';
import { openAnywhere } from './quarantine.ts';
import type { ByteRange, OpenedObject, Storage } from './storage.ts';
import { findStoredFile, type StoredFile } from './stored-file.ts';

/**
 * The stored file of a url, if the user (or the user who made the `link` in the request) may read it. The url
 * is compared as text with the urls given out: it never becomes a path, so path traversal is impossible.
 * @throws ServiceError DoesNotExistError for an unknown public url; PermissionError, with the same message,
 * for a private one that is unknown or that the user may not read
 */
export async function authoriseFile(ctx: Context, url: string, link = ''): Promise<StoredFile> {
  const parsed = parseFileUrl(url);
  const file = parsed ? await findStoredFile(ctx.db, url) : null;
  if (!url.startsWith('/private/')) {
    if (!file || file.isPrivate) throw new ServiceError('DoesNotExistError', 'File not found');
    return file;
  }
  if (file && (await mayRead(ctx, url))) return file;
  const sender = file && link !== '' ? await senderOf(ctx, file, link) : null;
  if (file && sender && (await mayRead(sender, url))) return file;
  throw new ServiceError('PermissionError', 'You are not permitted to access this file', {
    title: 'Not permitted',
  });
}

async function mayRead(ctx: Context, url: string): Promise<boolean> {
  return mayReadAny(ctx, await filesOf(ctx, url));
}

/** The user who made the link, with their present rights, unless disabled. */
async function senderOf({ site, origin }: Context, file: StoredFile, link: string): Promise<Context | null> {
  const name = parseFileLink(site, file, link);
  if (name === null) return null;
  const user = await loadUser(site.database.reader, name, site.settings.strictUserPermissions);
  return user && readContext(site, user, origin);
}

/**
 * Opens the bytes of an authorised file. A file deleted since then still has its bytes in quarantine, so that
 * a reply in progress ends as promised.
 * @throws ServiceError DoesNotExistError when the storage has lost them
 */
export async function openFile(
  storage: Storage,
  { storageKey, bytes }: Pick<StoredFile, 'storageKey' | 'bytes'>,
  range: ByteRange | undefined = bytes === 0 ? undefined : { start: 0, end: bytes - 1 },
): Promise<OpenedObject> {
  const opened = await openAnywhere(storage, storageKey, range);
  if (!opened) throw new ServiceError('DoesNotExistError', 'File not found');
  return opened;
}
