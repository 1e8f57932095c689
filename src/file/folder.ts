import { ident, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { asSystem, type Context } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { displayName } from './file-name.ts';

export const HOME = 'Home';
export const ATTACHMENTS = 'Home/Attachments';

/** Makes the folders that every site has, unless they are there. Part of the first start. */
export async function ensureHomeFolders(ctx: Context): Promise<void> {
  const system = asSystem(ctx);
  if (!(await isFolder(ctx, HOME))) {
    await createDocument(system, 'File', { file_name: 'Home', is_folder: 1, is_home_folder: 1 });
  }
  if (!(await isFolder(ctx, ATTACHMENTS))) {
    await createDocument(system, 'File', {
      file_name: 'Attachments',
      folder: HOME,
      is_folder: 1,
      is_attachments_folder: 1,
    });
  }
}

/** @throws ServiceError ValidationError unless `name` is a folder */
export async function requireFolder(ctx: Context, name: string): Promise<void> {
  if (!(await isFolder(ctx, name)))
    throw new ServiceError('ValidationError', `Folder ${name} does not exist`);
}

/**
 * Completes a new folder: its name is its path.
 * @throws ServiceError MandatoryError, ValidationError
 */
export async function prepareFolder(ctx: Context, doc: Document): Promise<void> {
  const title = displayName(String(doc.file_name ?? ''));
  if (title === '') throw new ServiceError('MandatoryError', 'A folder needs a file_name');
  if (title !== doc.file_name) throw new ServiceError('ValidationError', `Invalid folder name: ${title}`);
  if (doc.is_home_folder === 1 && ctx.user.isAdministrator) {
    doc.folder = null;
    doc.name = HOME;
  } else {
    const parent = String(doc.folder ?? HOME);
    await requireFolder(ctx, parent);
    doc.folder = parent;
    doc.name = `${parent}/${title}`;
    doc.is_home_folder = 0;
  }
  if (doc.name !== ATTACHMENTS) doc.is_attachments_folder = 0;
  if ([...doc.name].length > LIMITS.nameLength) {
    throw new ServiceError(
      'ValidationError',
      `The folder's path is longer than ${LIMITS.nameLength} characters`,
    );
  }
  doc.is_private = 0;
  doc.file_url = null;
}

/** @throws ServiceError ValidationError for the folders every site has, FolderNotEmpty */
export async function requireDeletableFolder(ctx: Context, doc: Document): Promise<void> {
  if (doc.is_home_folder === 1 || doc.is_attachments_folder === 1) {
    throw new ServiceError('ValidationError', 'Cannot delete Home and Attachments folders');
  }
  const row = await ctx.db.get(sql`select name from ${ident('File')} where folder = ${doc.name} limit 1`);
  if (row) throw new ServiceError('FolderNotEmpty', `Folder ${doc.name} is not empty`);
}

async function isFolder(ctx: Context, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select is_folder from ${ident('File')} where name = ${name}`);
  return row?.is_folder === 1;
}
