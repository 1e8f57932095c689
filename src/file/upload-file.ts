import type { Readable } from 'node:stream';
import { requirePermission } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import { ident, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { type Context, readContext, type Site } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { ServiceError } from '../kernel/errors.ts';
import { requireTarget } from './attachment.ts';
import { hasRight } from './file-access.ts';
import { displayName } from './file-name.ts';
import { HOME } from './folder.ts';
import type { Storage } from './storage.ts';
import { claimUrl, type UnclaimedContent } from './stored-file.ts';

/** A site whose files have a place. */
export interface FileSite extends Site {
  readonly storage: Storage;
}

/** What an upload may say besides its bytes; every value as sent. Unknown ones have no effect. */
export type UploadFields = ReadonlyMap<string, string>;

/**
 * Refuses an upload as early as possible: before its bytes, by what is known of it so far.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError
 */
export async function checkUpload(site: Site, user: CurrentUser, fields: UploadFields): Promise<void> {
  requirePermission(user, site.doctypes.get('File'), 'create');
  const doctypeName = fields.get('doctype');
  const name = fields.get('docname');
  if (doctypeName && name) await requireTarget(readContext(site, user), doctypeName, name);
}

/** Stores bytes that nothing refers to yet. `uploadFile` or `discardContent` must follow. */
export async function receiveContent(site: FileSite, stream: Readable): Promise<UnclaimedContent> {
  const storageKey = site.storage.newKey();
  const { maxFileBytes: maxBytes } = site.settings;
  const stored = await site.storage.put(storageKey, stream, { maxBytes });
  return { storage: site.storage, storageKey, stored };
}

/** Best effort: what it cannot delete, the next start collects. */
export async function discardContent(site: FileSite, content: UnclaimedContent): Promise<void> {
  try {
    await site.storage.delete(content.storageKey);
  } catch (error) {
    site.observe({ kind: 'unexpected', where: 'discard upload', error });
  }
}

/** An upload that has arrived. */
export interface ReceivedUpload {
  readonly content: UnclaimedContent | null;
  readonly fileName: string;
  readonly fields: UploadFields;
}

/**
 * Makes the File document of an upload: of its content, or without it of a `file_url` or `library_file_name` among the
 * fields. `run` runs what it is given in one unit of work, or not at all when this upload was answered before. Takes
 * charge of the content: unless it becomes a file, it is removed.
 */
export async function uploadFile<T>(
  site: FileSite,
  { content, fileName, fields }: ReceivedUpload,
  run: (work: (ctx: Context) => Promise<Document>) => Promise<T>,
): Promise<T> {
  let isTried = false;
  try {
    const result = await run((ctx) => {
      isTried = true;
      return createFile(ctx, content, fileName, fields);
    });
    if (content && isTried) site.observe({ kind: 'file_stored', bytes: content.stored.bytes });
    else if (content) await discardContent(site, content);
    return result;
  } catch (error) {
    // A refusal has rolled back for certain. After anything else the commit may have happened, so the bytes stay until
    // the collection has looked whether a row has them.
    if (content && error instanceof ServiceError && error.type !== 'ServiceUnavailableError') {
      await discardContent(site, content);
    }
    throw error;
  }
}

/** The File document of an upload, in a transaction. */
export async function createFile(
  ctx: Context,
  content: UnclaimedContent | null,
  fileName: string,
  fields: UploadFields,
): Promise<Document> {
  requirePermission(ctx.user, ctx.doctypes.get('File'), 'create');
  const doctypeName = fields.get('doctype') || null;
  const name = fields.get('docname') || null;
  if (doctypeName && name) await requireTarget(ctx, doctypeName, name);
  const isPrivate = parseFlag(fields.get('is_private')) ?? ctx.site.settings.privateUploads;
  const shown = displayName(fileName) || displayName(fields.get('file_name') ?? '');
  if (content && shown === '') throw new ServiceError('ValidationError', 'The file has no usable name');
  const url = content ? await claimUrl(ctx, content, shown, isPrivate) : await linkedUrl(ctx, fields);
  if (!url) {
    throw new ServiceError('MandatoryError', 'Fields `file_name` or `file_url` must be set for File');
  }
  return createDocument(ctx, 'File', {
    file_name: shown || null,
    file_url: url,
    is_private: isPrivate ? 1 : 0,
    folder: fields.get('folder') || HOME,
    attached_to_doctype: doctypeName,
    attached_to_name: name,
    attached_to_field: fields.get('fieldname') || null,
  });
}

async function linkedUrl(ctx: Context, fields: UploadFields): Promise<string> {
  const name = fields.get('library_file_name');
  if (!name) return fields.get('file_url') ?? '';
  const file = await ctx.db.get(
    sql`select name, owner, file_url, is_private, attached_to_doctype, attached_to_name
      from ${ident('File')} where name = ${name}`,
  );
  if (!file || !(await hasRight(ctx, file as Document, 'read'))) {
    throw new ServiceError('PermissionError', `No permission to use File ${name}`, {
      title: 'Not permitted',
    });
  }
  return String(file.file_url ?? '');
}

/** Undefined when absent or empty. @throws ServiceError ValidationError */
function parseFlag(value: string | undefined): boolean | undefined {
  switch (value?.trim().toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case '1':
    case 'true':
      return true;
    case '0':
    case 'false':
      return false;
    default:
      throw new ServiceError('ValidationError', 'is_private must be 0 or 1');
  }
}
