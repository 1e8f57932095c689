import { ident, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { asSystem, type Context } from '../document/context.ts';
import { renameDocument } from '../document/rename.ts';
import { updateDocument } from '../document/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { ATTACHMENTS, folderPath, HOME, lockFolders, requireFolder } from './folder.ts';

/**
 * Puts files and folders into another folder, each with the right to write it; a folder takes along what is in it,
 * whoever owns that. In one unit of work.
 * @throws ServiceError PermissionError, DoesNotExistError, DuplicateEntryError; ValidationError for a folder that would
 *   lie within itself, too deep or with a path too long, for the folders every site has, and for a move of too much
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
 * Gives a folder another name within the folder that it is in. Resolves to its new path.
 * @throws ServiceError as `moveFiles`, ValidationError for what is not a folder
 */
export async function renameFolder(ctx: Context, name: string, title: string): Promise<string> {
  await lockFolders(ctx);
  const folder = await findFolder(ctx, name);
  // In the same words whether there is such a file or not.
  if (!folder) throw new ServiceError('ValidationError', `Folder ${name} does not exist`);
  const path = folderPath(folder.parent, title);
  await moveFolder(ctx, folder, path, folder.parent);
  return path;
}

/**
 * For the controller of File: a folder is not renamed past `moveFiles` and `renameFolder`, which take its contents along.
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
    sql`select folder, file_name from ${ident('File')} where name = ${name} and is_folder = 1`,
  );
  return row ? { path: name, parent: String(row.folder ?? ''), title: String(row.file_name) } : null;
}

async function moveFolder(ctx: Context, { path }: Folder, to: string, parent: string): Promise<void> {
  if (path === HOME || path === ATTACHMENTS) {
    throw new ServiceError('ValidationError', `${path} stays where it is`);
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

// The row first, so that `checkFolderName` finds it in step. A refusal takes that back.
async function rename(ctx: Context, from: string, to: string): Promise<void> {
  const cut = to.lastIndexOf('/');
  await ctx.db.run(
    sql`update ${ident('File')} set folder = ${to.slice(0, cut)}, file_name = ${to.slice(cut + 1)} where name = ${from}`,
  );
  await renameDocument(ctx, 'File', from, to, { force: true });
}

/**
 * From the top down: a folder that has its new name is locked, so nobody puts anything into it, and what was put there
 * before can be seen.
 */
async function moveContents(ctx: Context, from: string, to: string): Promise<void> {
  const system = asSystem(ctx);
  const moved = [{ from, to }];
  let files = 0;
  for (const folder of moved) {
    files += await moveFilesOf(ctx, folder.from, folder.to);
    const below = await ctx.db.all(
      sql`select name, file_name from ${ident('File')} where folder = ${folder.from} and is_folder = 1 order by name`,
    );
    for (const row of below) {
      const path = { from: String(row.name), to: folderPath(folder.to, String(row.file_name)) };
      await rename(system, path.from, path.to);
      moved.push(path);
    }
    if (moved.length > LIMITS.foldersMoved || files > LIMITS.filesMoved) {
      throw new ServiceError(
        'ValidationError',
        `A folder moves with at most ${LIMITS.foldersMoved} folders and ${LIMITS.filesMoved} files in it`,
      );
    }
  }
}

function moveFilesOf(ctx: Context, from: string, to: string): Promise<number> {
  return ctx.db.run(
    sql`update ${ident('File')} set folder = ${to}, ${ident('_revision')} = ${ident('_revision')} + 1
      where folder = ${from} and is_folder = 0`,
  );
}

async function requireFree(ctx: Context, path: string): Promise<void> {
  const taken = await ctx.db.get(sql`select 1 as found from ${ident('File')} where name = ${path}`);
  if (taken) throw new ServiceError('DuplicateEntryError', `Folder ${path} exists already`);
}
