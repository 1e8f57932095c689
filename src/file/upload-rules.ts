import { refusal, requirePermission } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import { sql } from '../db/sql.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { fileTypeOf } from './file-name.ts';

/** The file types allowed to Guests, and to users without access to the desk. */
const HARMLESS: ReadonlySet<string> = new Set(
  'PNG JPG JPEG GIF PDF DOC DOCX XLS XLSX ODT ODS TXT CSV MOV MP4'.split(' '),
);

/** Extensions of the same format, by the usual one. */
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
 * The user whose rights an upload has: a Guest has those of every signed-in user, if the settings allow
 * uploads by Guests.
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

/** @throws ServiceError PermissionError when a Guest attaches to a target that the settings do not allow */
export function requireGuestTarget(ctx: Context, doctypeName: string | null): void {
  const { guestUploadDoctypes: allowed } = ctx.site.settings;
  if (!ctx.user.isGuest || allowed.size === 0 || allowed.has(doctypeName ?? '')) return;
  throw refusal(ctx.doctypes.get('File'), 'create');
}

/**
 * Checks a file's name against the extensions allowed by the site, and for some users by the server.
 * @throws ServiceError FileTypeNotAllowed
 */
export function requireAllowedName(ctx: Context, fileName: string): void {
  const extension = fileTypeOf(fileName);
  if (!isAllowed(ctx, [extension])) throw notAllowed(extension);
}

/**
 * Checks the actual type as well, as far as the first bytes (`head`) show it: a program is refused under any
 * name.
 * @throws ServiceError FileTypeNotAllowed
 */
export async function requireAllowedContent(ctx: Context, fileName: string, head: Uint8Array): Promise<void> {
  requireAllowedName(ctx, fileName);
  if (isAllowed(ctx, [])) return;
  // Loaded with the first use, because most sites have no list of types.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  // For text, the extension decides.
  if (!found || found.mime.startsWith('text/') || found.ext === 'xml') return;
  const extension = found.ext.toUpperCase();
  if (!isAllowed(ctx, [extension, ...(FAMILIES.get(extension) ?? [])])) throw notAllowed(extension);
}

/** True when each active list contains one of the extensions. */
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
 * Checks the quota for `bytes` more, and locks it against concurrent uploads until the transaction ends.
 * Administrator has no quota.
 * @throws ServiceError FileQuotaExceeded
 */
export async function requireQuota(ctx: Context, bytes: number): Promise<void> {
  const most = ctx.site.settings.userFileBytes;
  if (most === 0 || bytes === 0 || ctx.user.isAdministrator) return;
  const lock = lockClause(ctx.site.database.dialect, 'change');
  await ctx.db.get(sql`select name from "User" where name = ${ctx.user.name}${lock}`);
  await requireSpace(ctx, bytes);
}

/** The same without a lock: refuses an upload before its bytes arrive. */
export async function requireSpace(ctx: Context, bytes: number): Promise<void> {
  const most = ctx.site.settings.userFileBytes;
  if (most === 0 || ctx.user.isAdministrator) return;
  const row = await ctx.db.get(
    sql`select coalesce(sum(file_size), 0) as bytes from "File" where owner = ${ctx.user.name}`,
  );
  if (Number(row?.bytes) + bytes <= most) return;
  const megabytes = (most / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 2 });
  throw new ServiceError('FileQuotaExceeded', `Your files may have at most ${megabytes} MiB in total`);
}
