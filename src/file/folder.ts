import { lockByName } from '../db/named-lock.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { asSystem } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { createDocument } from '../document/verbs/create.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { displayName } from './file-name.ts';

export const HOME = 'Home';
export const ATTACHMENTS = 'Home/Attachments';

/** Creates the built-in folders unless they exist. Part of the first start. */
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

/**
 * Checks that a folder exists and locks it until this transaction ends. In a unit of work.
 * @throws ServiceError LinkValidationError unless `name` is a folder
 */
export async function requireFolder(ctx: Context, name: string): Promise<void> {
  // These two never move, and most files go there: no query, and no lock shared by all uploads.
  if (name === HOME || name === ATTACHMENTS) return;
  const row = await ctx.db.get(
    sql`select is_folder from "File" where name = ${name}${lockClause(ctx.db.dialect, 'stay')}`,
  );
  if (row?.is_folder !== 1) throw new ServiceError('LinkValidationError', `Folder ${name} does not exist`);
}

/** The name of a folder within another. @throws ServiceError MandatoryError, ValidationError */
export function folderPath(parent: string, title: string): string {
  const shown = displayName(title);
  if (shown === '') throw new ServiceError('MandatoryError', 'A folder needs a file_name');
  if (shown !== title) throw new ServiceError('ValidationError', `Invalid folder name: ${shown}`);
  const path = `${parent}/${shown}`;
  if ([...path].length > LIMITS.nameLength) {
    throw new ServiceError(
      'ValidationError',
      `The folder's path is longer than ${LIMITS.nameLength} characters`,
    );
  }
  if (path.split('/').length - 1 > LIMITS.folderDepth) {
    throw new ServiceError(
      'ValidationError',
      `Folders can be nested at most ${LIMITS.folderDepth} levels deep in ${HOME}`,
    );
  }
  return path;
}

/**
 * Locks folders against other moves and creations until this transaction ends: two moves, each valid by
 * itself, could form a cycle.
 */
export async function lockFolders(ctx: Context): Promise<void> {
  await lockByName(ctx.db, 'folders');
}

/**
 * Completes a new folder: its name is its path.
 * @throws ServiceError MandatoryError, ValidationError
 */
export async function prepareFolder(ctx: Context, doc: Document): Promise<void> {
  await lockFolders(ctx);
  if (doc.is_home_folder === 1 && ctx.user.isAdministrator) {
    doc.folder = null;
    doc.name = HOME;
  } else {
    const parent = String(doc.folder || HOME);
    doc.name = folderPath(parent, String(doc.file_name ?? ''));
    doc.folder = parent;
    doc.is_home_folder = 0;
    await requireFolder(ctx, parent);
    await requireRoomForFolder(ctx);
  }
  if (doc.name !== ATTACHMENTS) doc.is_attachments_folder = 0;
  doc.is_private = 0;
  doc.file_url = null;
}

async function requireRoomForFolder(ctx: Context): Promise<void> {
  // Only names of folders start like this: the range excludes other users' files from the count.
  const row = await ctx.db.get(
    sql`select count(*) as folders from "File"
      where name > ${`${HOME}/`} and name < ${`${HOME}0`} and is_folder = 1 and owner = ${ctx.user.name}`,
  );
  if (Number(row?.folders) < LIMITS.foldersPerUser) return;
  throw new ServiceError('ValidationError', `A user can have at most ${LIMITS.foldersPerUser} folders`);
}

/** @throws ServiceError ValidationError for a built-in folder, FolderNotEmpty */
export async function requireDeletableFolder(ctx: Context, doc: Document): Promise<void> {
  if (doc.is_home_folder === 1 || doc.is_attachments_folder === 1) {
    throw new ServiceError('ValidationError', 'Cannot delete Home and Attachments folders');
  }
  const row = await ctx.db.get(sql`select name from "File" where folder = ${doc.name} limit 1`);
  if (row) throw new ServiceError('FolderNotEmpty', `Folder ${doc.name} is not empty`);
}

export async function isFolder(ctx: Context, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select is_folder from "File" where name = ${name}`);
  return row?.is_folder === 1;
}
