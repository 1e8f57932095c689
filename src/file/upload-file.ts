import type { Readable } from 'node:stream';
import type { CurrentUser } from '../access/user.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { readContext } from '../document/context.ts';
import type { Context, Site } from '../document/contract.ts';
import { controllersOf } from '../document/controller.ts';
import { createDocument } from '../document/verbs/create.ts';
import { isRefusal, ServiceError } from '../kernel/errors.ts';
import { requireTarget } from './attachment.ts';
import { deleteUnused } from './delete-unused.ts';
import { hasRight } from './file-access.ts';
import { displayName } from './file-name.ts';
import { HOME } from './folder.ts';
import { smallerImage, wantedSize } from './optimise.ts';
import { receiveInto } from './receive-content.ts';
import type { Storage } from './storage.ts';
import { claimUrl, fieldsWithClaim, type UnclaimedContent } from './stored-file.ts';
import { requireAllowedContent, requireGuestTarget, requireSpace, requireUploader } from './upload-rules.ts';

/** A site with a file storage. */
export interface FileSite extends Site {
  readonly storage: Storage;
}

/** The fields of an upload besides its bytes, as sent. Unknown ones have no effect. */
export type UploadFields = ReadonlyMap<string, string>;

/**
 * Refuses an upload as early as possible: before its bytes arrive, by its fields so far.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError, FileQuotaExceeded
 */
export async function checkUpload(site: Site, user: CurrentUser, fields: UploadFields): Promise<void> {
  requireUploader(user, site.settings, site.doctypes);
  const ctx = readContext(site, user);
  const doctypeName = fields.get('doctype');
  const name = fields.get('docname');
  if (doctypeName && name) await requireTarget(ctx, doctypeName, name, fields.get('fieldname'));
  await requireSpace(ctx, 1);
}

/** Stores bytes that nothing refers to yet. Call `uploadFile` or `discardContent` next. */
export function receiveContent(site: FileSite, content: Readable | Buffer): Promise<UnclaimedContent> {
  return receiveInto(site.storage, site.settings, content);
}

/** Best effort: bytes that it cannot delete are collected later. */
export async function discardContent(site: FileSite, content: UnclaimedContent): Promise<void> {
  try {
    await deleteUnused(site.storage, content.storageKey);
  } catch (error) {
    site.observe({ kind: 'unexpected', where: 'discard upload', error });
  }
}

/** A received upload. */
export interface ReceivedUpload {
  readonly content: UnclaimedContent | null;
  readonly fileName: string;
  readonly fields: UploadFields;
}

/** Creates the File document of an upload, in a transaction. */
export type CreateFile = (ctx: Context) => Promise<Document>;

/** The argument `uploaded_file` of a method that an upload names in `method`. */
export interface UploadedFile {
  /** As sent. */
  readonly fileName: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The bytes. Each call opens them anew; valid while the method runs. */
  open(): Promise<Readable | Buffer>;
  /**
   * Creates the File document described by the fields of the upload. Otherwise the bytes are deleted when the
   * method ends.
   */
  readonly createFile: CreateFile;
}

/**
 * Creates the File document of an upload: from its content, or from a `file_url` or `library_file_name` among
 * the fields. `run` runs its argument in one unit of work, or not at all if this upload was answered before;
 * `notices` are messages to the uploader about the file. Takes ownership of the content, and removes it
 * unless it becomes a file.
 */
export async function uploadFile<T>(
  site: FileSite,
  { content: received, fileName, fields }: ReceivedUpload,
  run: (work: CreateFile, notices: readonly string[]) => Promise<T>,
): Promise<T> {
  let content = received;
  let isTried = false;
  try {
    const notices: string[] = [];
    const wanted = content && wantedSize(fields);
    if (content && wanted) {
      const made = await smallerImage(content, wanted);
      if (typeof made === 'string') notices.push(made);
      else if (made) content = await replaceContent(site, content, made);
    }
    const result = await run((ctx) => {
      isTried = true;
      return createFile(ctx, content, fileName, fields);
    }, notices);
    if (content && isTried) site.observe({ kind: 'file_stored', bytes: content.stored.bytes });
    else if (content) await discardContent(site, content);
    return result;
  } catch (error) {
    // Otherwise the collection finds out whether a row has the bytes.
    if (content && isRefusal(error)) await discardContent(site, content);
    throw error;
  }
}

async function replaceContent(
  site: FileSite,
  content: UnclaimedContent,
  bytes: Buffer,
): Promise<UnclaimedContent> {
  const replacement = await receiveContent(site, bytes);
  await discardContent(site, content);
  return replacement;
}

/** Creates the File document of an upload, in a transaction. */
export async function createFile(
  ctx: Context,
  content: UnclaimedContent | null,
  fileName: string,
  fields: UploadFields,
): Promise<Document> {
  const user = requireUploader(ctx.user, ctx.site.settings, ctx.doctypes);
  const doctypeName = fields.get('doctype') || null;
  const name = fields.get('docname') || null;
  requireGuestTarget(ctx, doctypeName);
  if (doctypeName && name) await requireTarget(ctx, doctypeName, name, fields.get('fieldname'));
  const isPrivate = parseFlag(fields.get('is_private')) ?? ctx.site.settings.privateUploads;
  const shown = displayName(fileName) || displayName(fields.get('file_name') ?? '');
  if (content && shown === '') throw new ServiceError('ValidationError', 'The file has no usable name');
  if (content) await requireAllowedContent(ctx, shown, content.stored.head);
  const described = {
    file_name: shown || null,
    is_private: isPrivate ? 1 : 0,
    folder: fields.get('folder') || HOME,
    attached_to_doctype: doctypeName,
    attached_to_name: name,
    attached_to_field: fields.get('fieldname') || null,
  };
  const input = content
    ? fieldsWithClaim(await claimUrl(ctx, content, shown, isPrivate), described)
    : { ...described, file_url: await linkedUrl(ctx, fields) };
  const file = await createDocument({ ...ctx, user }, 'File', input);
  for (const { afterFileUpload } of controllersOf(ctx, ctx.doctypes.get('File'))) {
    await afterFileUpload?.(file, { ...ctx, depth: ctx.depth + 1 });
  }
  return file;
}

async function linkedUrl(ctx: Context, fields: UploadFields): Promise<string> {
  const name = fields.get('library_file_name');
  if (!name) return requireUrl(fields.get('file_url') ?? '');
  const file = await ctx.db.get(
    sql`select name, owner, file_url, is_private, attached_to_doctype, attached_to_name, attached_to_field
      from "File" where name = ${name}`,
  );
  if (!file || !(await hasRight(ctx, file as Document, 'read'))) {
    throw new ServiceError('PermissionError', `No permission to use File ${name}`, {
      title: 'Not permitted',
    });
  }
  return requireUrl(String(file.file_url ?? ''));
}

function requireUrl(url: string): string {
  if (url !== '') return url;
  throw new ServiceError('MandatoryError', 'Fields `file_name` or `file_url` must be set for File');
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
