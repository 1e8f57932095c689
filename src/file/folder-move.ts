import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { asSystem } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { renameDocument } from '../document/verbs/rename.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { ATTACHMENTS, folderPath, HOME, lockFolders, requireFolder } from './folder.ts';

/**
 * Moves files and folders into another folder; each needs the right to write it. A folder takes its contents
 * along, whoever owns them. In one unit of work.
 * @throws ServiceError PermissionError, DoesNotExistError, DuplicateEntryError; ValidationError for a folder
 * inside itself, too deep or with too long a path, for built-in folders, and for too many files
 */
export async function moveFiles(ctx: Context, names: readonly string[], parent: string): Promise<void> {
  await lockFolders(ctx);
  for (const name of names) {
    const folder = await findFolder(ctx, name);
    if (folder) await moveFolder(ctx, folder, folderPath(parent, folder.title), parent);
    else await updateDocument(ctx, 'File', name, { folder: parent });
  }
}

/**
 * Renames a folder within its parent. Resolves to its new path.
 * @throws ServiceError as `moveFiles`, ValidationError for a File that is not a folder
 */
export async function renameFolder(ctx: Context, name: string, title: string): Promise<string> {
  await lockFolders(ctx);
  const folder = await findFolder(ctx, name);
  // The same message whether such a file exists or not.
  if (!folder) throw new ServiceError('ValidationError', `Folder ${name} does not exist`);
  const path = folderPath(folder.parent, title);
  await moveFolder(ctx, folder, path, folder.parent);
  return path;
}

/**
 * For the controller of File: only `moveFiles` and `renameFolder` rename a folder, because they take its
 * contents along.
 * @throws ServiceError ValidationError
 */
export function checkFolderName(doc: Document, before: Document | null): void {
  if (before?.is_folder !== 1 || doc.name === `${before.folder}/${before.file_name}`) return;
  throw new ServiceError('ValidationError', 'The name of a folder is its path: move the folder instead');
}

interface Folder {
  readonly path: string;
  readonly parent: string;
  readonly title: string;
}

async function findFolder(ctx: Context, name: string): Promise<Folder | null> {
  const row = await ctx.db.get(
    sql`select folder, file_name from "File" where name = ${name} and is_folder = 1`,
  );
  return row ? { path: name, parent: String(row.folder ?? ''), title: String(row.file_name) } : null;
}

async function moveFolder(ctx: Context, { path }: Folder, to: string, parent: string): Promise<void> {
  if (path === HOME || path === ATTACHMENTS) {
    throw new ServiceError('ValidationError', `${path} cannot be moved`);
  }
  if (parent === path || parent.startsWith(`${path}/`)) {
    throw new ServiceError('ValidationError', `Folder ${path} cannot be moved into itself`);
  }
  await requireFolder(ctx, parent);
  if (to === path) return;
  await requireFree(ctx, to);
  await rename(ctx, path, to);
  await moveContents(ctx, path, to);
}

// The row first, so that `checkFolderName` finds it consistent. A rollback undoes it.
async function rename(ctx: Context, from: string, to: string): Promise<void> {
  const cut = to.lastIndexOf('/');
  await ctx.db.run(
    sql`update "File" set folder = ${to.slice(0, cut)}, file_name = ${to.slice(cut + 1)} where name = ${from}`,
  );
  await renameDocument(ctx, 'File', from, to, { force: true });
}

/** From the top down: a renamed folder is locked, so nobody adds to it, and earlier additions are visible. */
async function moveContents(ctx: Context, from: string, to: string): Promise<void> {
  const system = asSystem(ctx);
  const moved = [{ from, to }];
  let files = 0;
  for (const folder of moved) {
    files += await moveFilesOf(ctx, folder.from, folder.to);
    const below = await ctx.db.all(
      sql`select name, file_name from "File" where folder = ${folder.from} and is_folder = 1 order by name`,
    );
    for (const row of below) {
      const path = { from: String(row.name), to: folderPath(folder.to, String(row.file_name)) };
      await rename(system, path.from, path.to);
      moved.push(path);
    }
    if (moved.length > LIMITS.foldersMoved || files > LIMITS.filesMoved) {
      throw new ServiceError(
        'ValidationError',
        `A folder can be moved with at most ${LIMITS.foldersMoved} folders and ${LIMITS.filesMoved} files in it`,
      );
    }
  }
}

function moveFilesOf(ctx: Context, from: string, to: string): Promise<number> {
  return ctx.db.run(
    sql`update "File" set folder = ${to}, "_revision" = "_revision" + 1
      where folder = ${from} and is_folder = 0`,
  );
}

async function requireFree(ctx: Context, path: string): Promise<void> {
  const taken = await ctx.db.get(sql`select 1 as found from "File" where name = ${path}`);
  if (taken) throw new ServiceError('DuplicateEntryError', `Folder ${path} already exists`);
}
