import { createHash } from 'node:crypto';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { isOwnWorkInHook } from '../document/context.ts';
import type { Context, Controller } from '../document/contract.ts';
import { textOf } from '../document/document.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { replaceAttached } from './attach-fields.ts';
import { requireRoom, requireTarget } from './attachment.ts';
import { deleteUnused } from './delete-unused.ts';
import { describeDeleted } from './deleted-file.ts';
import { filesOf, mayReadAny, mayWriteAll } from './file-access.ts';
import { displayName, fileTypeOf, parseFileUrl } from './file-name.ts';
import { fileRowFilter, mayAccessFile } from './file-permission.ts';
import { ATTACHMENTS, HOME, prepareFolder, requireDeletableFolder, requireFolder } from './folder.ts';
import { checkFolderName } from './folder-move.ts';
import { tooLarge } from './meter.ts';
import { receiveInto } from './receive-content.ts';
import { bytesOfText } from './sent-content.ts';
import { HEAD_BYTES, type Storage } from './storage.ts';
import {
  type ClaimedFile,
  claimBehind,
  claimUrl,
  dropStoredFile,
  lockStoredFile,
  lockToMove,
  moveUrl,
  type StoredFile,
} from './stored-file.ts';
import { thumbnailUrl } from './thumbnail.ts';
import { requireAllowedContent, requireAllowedName, requireQuota } from './upload-rules.ts';

/**
 * Keeps File documents and stored bytes consistent: neither exists without the other, and access to bytes
 * needs permission.
 */
export function fileController(storage: Storage): Controller {
  return {
    beforeInsert: (doc, ctx, change) => prepareNew(storage, doc, ctx, change.input),
    validate: (doc, ctx, change) =>
      change.before ? prepareChange(storage, doc, change.before, ctx) : undefined,
    onTrash: (doc, ctx) => release(storage, doc, ctx),
    beforeRename: (doc, _ctx, change) => checkFolderName(doc, change.before),
    hasPermission: mayAccessFile,
    rowFilter: fileRowFilter,
  };
}

async function prepareNew(storage: Storage, doc: Document, ctx: Context, input: Fields): Promise<void> {
  doc.file_size = 0;
  doc.content_hash = null;
  doc.file_type = null;
  doc.thumbnail_url = null;
  await checkAttachment(ctx, doc);
  if (doc.is_folder === 1) return prepareFolder(ctx, doc);
  doc.is_home_folder = 0;
  doc.is_attachments_folder = 0;
  doc.folder ??= doc.attached_to_name ? ATTACHMENTS : HOME;
  await requireFolder(ctx, String(doc.folder));
  doc.file_name = displayName(String(doc.file_name ?? '')) || null;
  const content = contentOf(input, ctx.site.settings.maxFileBytes);
  const claimed = content ? await keepContent(storage, doc, ctx, content) : claimBehind(input);
  if (!doc.file_url) {
    throw new ServiceError('MandatoryError', 'A File needs content or a file_url');
  }
  doc.file_url = withoutSite(ctx, String(doc.file_url));
  if (/^https?:\/\//i.test(doc.file_url)) return prepareRemote(doc);
  await claimStored(doc, ctx, claimed);
  requireAllowedName(ctx, String(doc.file_name));
  await requireQuota(ctx, Number(doc.file_size));
}

/** Bytes sent inside the document, as text or base64 (`decode`). Null when there are none. */
function contentOf(input: Fields, maxBytes: number): Buffer | null {
  const { content } = input;
  if (content === undefined || content === null || content === '') return null;
  if (typeof content !== 'string') throw new ServiceError('ValidationError', 'content must be text');
  const bytes = bytesOfText(content, input.decode);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

async function keepContent(
  storage: Storage,
  doc: Document,
  ctx: Context,
  content: Buffer,
): Promise<ClaimedFile> {
  const fileName = String(doc.file_name ?? '');
  if (!fileName) throw new ServiceError('MandatoryError', 'A File with content needs a file_name');
  await requireAllowedContent(ctx, fileName, content.subarray(0, HEAD_BYTES));
  // A storage may be remote, and on SQLite the only writer would wait for it.
  const digest = createHash('sha256').update(content).digest('hex');
  const kept = await ctx.beforehand(
    `content ${digest} ${doc.is_private === 1 ? 'private' : 'public'}`,
    () => receiveInto(storage, ctx.site.settings, content),
    ({ storageKey }) => deleteUnused(storage, storageKey),
  );
  const claimed = await claimUrl(ctx, kept, fileName, doc.is_private === 1);
  doc.file_url = claimed.fileUrl;
  return claimed;
}

/** The path of an address on this site, so that it means the stored file and not an external link. */
function withoutSite(ctx: Context, url: string): string {
  const { siteUrl } = ctx.site.config;
  return siteUrl !== null && url.startsWith(`${siteUrl}/`) ? url.slice(siteUrl.length) : url;
}

// An external link. Its bytes are not ours, so there is nothing to keep private.
function prepareRemote(doc: Document): void {
  const url = URL.parse(String(doc.file_url));
  if (!url) throw new ServiceError('ValidationError', 'file_url is not a valid URL');
  doc.is_private = 0;
  doc.file_name ||= displayName(url.pathname) || url.hostname;
  doc.file_type = fileTypeOf(String(doc.file_name)) || null;
}

/**
 * Makes the File share stored bytes. A url without a File was claimed in this same transaction; any other
 * must be readable by the user already.
 */
async function claimStored(doc: Document, ctx: Context, claimed: ClaimedFile | undefined): Promise<void> {
  const url = String(doc.file_url);
  // A hook may have chosen another url.
  const stored = claimed?.fileUrl === url ? claimed : await requireReadable(ctx, url);
  if (claimed?.owner !== undefined) doc.owner = claimed.owner;
  doc.is_private = stored.isPrivate ? 1 : 0;
  doc.file_size = stored.bytes;
  doc.content_hash = stored.sha256;
  doc.thumbnail_url = stored.imageType === '' ? null : thumbnailUrl(url);
  doc.file_name ||= stored.fileName;
  doc.file_type = fileTypeOf(String(doc.file_name)) || null;
}

async function requireReadable(ctx: Context, url: string): Promise<StoredFile> {
  const parsed = parseFileUrl(url);
  if (!parsed) {
    throw new ServiceError(
      'ValidationError',
      'URL must start with http:// or https://, or name a stored file',
    );
  }
  const stored = await lockStoredFile(ctx.db, url);
  const files = stored ? await filesOf(ctx, url) : [];
  const readable = stored !== null && (files.length === 0 || (await mayReadAny(ctx, files)));
  if (!readable) {
    // The same message whether such a file exists or not.
    throw new ServiceError('PermissionError', `No permission to use ${url}`, { title: 'Not permitted' });
  }
  return stored;
}

async function prepareChange(storage: Storage, doc: Document, before: Document, ctx: Context): Promise<void> {
  // Clients send whole documents back, so fields of the server are restored and not refused.
  for (const field of OWN) doc[field] = before[field] ?? null;
  for (const field of before.is_folder === 1 ? FIXED_OF_FOLDERS : FIXED) {
    if ((doc[field] || null) !== (before[field] || null)) {
      throw new ServiceError('CannotChangeConstantError', `Value cannot be changed for ${field}`);
    }
  }
  if (before.is_folder === 1) return;
  doc.file_name = displayName(String(doc.file_name ?? '')) || (before.file_name ?? null);
  if (doc.file_name !== before.file_name) requireAllowedName(ctx, String(doc.file_name ?? ''));
  const isMoved =
    doc.attached_to_doctype !== before.attached_to_doctype ||
    doc.attached_to_name !== before.attached_to_name;
  // The field decides who may read the file, so the save sets the field that holds it.
  if (!isOwnWorkInHook(ctx)) doc.attached_to_field = isMoved ? null : (before.attached_to_field ?? null);
  if (isMoved) await checkAttachment(ctx, doc);
  if (doc.folder !== before.folder) {
    doc.folder ??= HOME;
    await requireFolder(ctx, String(doc.folder));
  }
  if (doc.is_private !== before.is_private) await changePrivacy(storage, doc, before, ctx);
}

const OWN = [
  'file_size',
  'content_hash',
  'file_type',
  'thumbnail_url',
  'is_home_folder',
  'is_attachments_folder',
];
const FIXED = ['file_url', 'is_folder'];
const FIXED_OF_FOLDERS = [
  ...FIXED,
  'file_name',
  'folder',
  'is_private',
  'attached_to_doctype',
  'attached_to_name',
];

/** Moves the bytes to a url under the other prefix, for all Files that share them. */
async function changePrivacy(storage: Storage, doc: Document, before: Document, ctx: Context): Promise<void> {
  const url = String(before.file_url);
  const stored = await lockToMove(ctx.db, url);
  if (!stored) {
    doc.is_private = before.is_private ?? 0;
    return;
  }
  const others = (await filesOf(ctx, url)).filter((file) => file.name !== doc.name);
  if (!(await mayWriteAll(ctx, others))) {
    throw new ServiceError(
      'PermissionError',
      'Other files share these bytes, and you may not write all of them',
      {
        title: 'Not permitted',
      },
    );
  }
  const moved = await moveUrl(ctx, storage, stored, doc.is_private === 1);
  doc.file_url = moved;
  doc.thumbnail_url = stored.imageType === '' ? null : thumbnailUrl(moved);
  await ctx.db.run(
    sql`update "File" set file_url = ${moved}, thumbnail_url = ${doc.thumbnail_url}, is_private = ${doc.is_private === 1 ? 1 : 0},
        "_revision" = "_revision" + 1
      where file_url = ${url} and name <> ${doc.name}`,
  );
  for (const file of [doc, ...others]) await replaceAttached(ctx, file, url, moved);
}

async function checkAttachment(ctx: Context, doc: Document): Promise<void> {
  const { attached_to_doctype: doctypeName, attached_to_name: name } = doc;
  if (!doctypeName && !name) {
    doc.attached_to_field = null;
    return;
  }
  if (!doctypeName || !name) {
    throw new ServiceError(
      'ValidationError',
      'Attaching a file needs both the doctype and the name of a document',
    );
  }
  if (doc.is_folder === 1) throw new ServiceError('ValidationError', 'Folders cannot be attached');
  const field = isOwnWorkInHook(ctx) ? '' : textOf(doc, 'attached_to_field');
  const doctype = await requireTarget(ctx, String(doctypeName), String(name), field);
  await requireRoom(ctx, doctype, String(name));
}

async function release(storage: Storage, doc: Document, ctx: Context): Promise<void> {
  if (doc.is_folder === 1) return requireDeletableFolder(ctx, doc);
  const url = String(doc.file_url ?? '');
  const stored = await lockStoredFile(ctx.db, url);
  if (!stored) return;
  await clearAttached(ctx, doc, url);
  const other = await ctx.db.get(
    sql`select name from "File" where file_url = ${url} and name <> ${doc.name} limit 1`,
  );
  if (!other) await dropStoredFile(ctx, storage, stored, describeDeleted(doc, stored));
}

// The url would lead nowhere, and later perhaps to another user's bytes.
async function clearAttached(ctx: Context, doc: Document, url: string): Promise<void> {
  const { attached_to_doctype: doctypeName, attached_to_name: name } = doc;
  if (typeof doctypeName !== 'string' || typeof name !== 'string') return;
  const other = await ctx.db.get(
    sql`select name from "File" where file_url = ${url} and name <> ${doc.name}
      and attached_to_doctype = ${doctypeName} and attached_to_name = ${name} limit 1`,
  );
  if (!other) await replaceAttached(ctx, doc, url, null);
}
