import { fileTypeFromBuffer } from 'file-type';
import { refusal, requirePermission } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import { ident, sql } from '../db/sql.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { lockClause } from '../document/lock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { fileTypeOf } from './file-name.ts';

/** What those may send who do not work here: Guests, and users without access to the desk. */
const HARMLESS: ReadonlySet<string> = new Set(
  'PNG JPG JPEG GIF PDF DOC DOCX XLS XLSX ODT ODS TXT CSV MOV MP4'.split(' '),
);

/** Extensions of the same bytes, by the one that they are known by. */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map([
  ['JPG', ['JPEG', 'JPE', 'JFIF']],
  ['APNG', ['PNG']],
  ['TIF', ['TIFF']],
  ['HEIC', ['HEIF']],
  ['CFB', ['DOC', 'XLS', 'PPT', 'MSG', 'DOT', 'XLT', 'PPS']],
  ['ZIP', ['DOCX', 'XLSX', 'PPTX', 'ODT', 'ODS', 'ODP', 'EPUB', 'JAR', 'KMZ']],
  ['MP4', ['MOV', 'M4V', 'M4A', 'QT']],
  ['MOV', ['MP4', 'QT']],
  ['M4V', ['MP4']],
  ['OGG', ['OGA', 'OGV', 'OPUS']],
  ['GZ', ['TGZ']],
  ['MPG', ['MPEG']],
  ['ASF', ['WMV', 'WMA']],
]);

/**
 * The user that an upload counts as: a Guest may do what everybody who is signed in may, where the settings let Guests
 * upload at all.
 * @throws ServiceError PermissionError
 */
export function requireUploader(
  user: CurrentUser,
  settings: LiveSettings,
  doctypes: DoctypeRegistry,
): CurrentUser {
  const uploader =
    user.isGuest && settings.guestUploads ? { ...user, roles: new Set([...user.roles, 'All']) } : user;
  requirePermission(uploader, doctypes.get('File'), 'create');
  return uploader;
}

/** @throws ServiceError PermissionError when a Guest attaches to something else than the settings name */
export function requireGuestTarget(ctx: Context, doctypeName: string | null): void {
  const { guestUploadDoctypes: allowed } = ctx.site.settings;
  if (!ctx.user.isGuest || allowed.size === 0 || allowed.has(doctypeName ?? '')) return;
  throw refusal(ctx.doctypes.get('File'), 'create');
}

/**
 * Holds a file's name against the extensions that the site, and for some users the server, let in.
 * @throws ServiceError FileTypeNotAllowed
 */
export function requireAllowedName(ctx: Context, fileName: string): void {
  const extension = fileTypeOf(fileName);
  if (!isAllowed(ctx, [extension])) throw notAllowed(extension);
}

/**
 * The same with what the bytes are, as far as their beginning (`head`) tells: a program is refused by every name.
 * @throws ServiceError FileTypeNotAllowed
 */
export async function requireAllowedContent(ctx: Context, fileName: string, head: Uint8Array): Promise<void> {
  requireAllowedName(ctx, fileName);
  if (isAllowed(ctx, [])) return;
  const found = await fileTypeFromBuffer(head);
  // Text is whatever its name says.
  if (!found || found.mime.startsWith('text/') || found.ext === 'xml') return;
  const extension = found.ext.toUpperCase();
  if (!isAllowed(ctx, [extension, ...(FAMILIES.get(extension) ?? [])])) throw notAllowed(extension);
}

/** True when each list in force has one of the extensions. */
function isAllowed({ user, site, system }: Context, extensions: readonly string[]): boolean {
  if (system) return true;
  const { fileExtensions } = site.settings;
  const isIn = (list: ReadonlySet<string>) => extensions.some((extension) => list.has(extension));
  if (fileExtensions.size > 0 && !isIn(fileExtensions)) return false;
  return user.isAdministrator || user.roles.has('Desk User') || isIn(HARMLESS);
}

function notAllowed(extension: string): ServiceError {
  const what = extension === '' ? 'Files without an extension are' : `File type of ${extension} is`;
  return new ServiceError('FileTypeNotAllowed', `${what} not allowed`);
}

/**
 * Lets a user have `bytes` more, until the transaction ends with nobody else adding to theirs. Administrator has no quota.
 * @throws ServiceError FileQuotaExceeded
 */
export async function requireQuota(ctx: Context, bytes: number): Promise<void> {
  const most = ctx.site.settings.userFileBytes;
  if (most === 0 || bytes === 0 || ctx.user.isAdministrator) return;
  const lock = lockClause(ctx.site.database.dialect, 'change');
  await ctx.db.get(sql`select name from ${ident('User')} where name = ${ctx.user.name}${lock}`);
  await requireSpace(ctx, bytes);
}

/** The same without keeping others off: to refuse an upload before its bytes come. */
export async function requireSpace(ctx: Context, bytes: number): Promise<void> {
  const most = ctx.site.settings.userFileBytes;
  if (most === 0 || ctx.user.isAdministrator) return;
  const row = await ctx.db.get(
    sql`select coalesce(sum(file_size), 0) as bytes from ${ident('File')} where owner = ${ctx.user.name}`,
  );
  if (Number(row?.bytes) + bytes <= most) return;
  const megabytes = (most / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 2 });
  throw new ServiceError('FileQuotaExceeded', `Your files may have ${megabytes} MiB together`);
}
