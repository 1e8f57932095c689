import type { CurrentUser } from '../access/user.ts';
import type { Document } from '../doctype/doctype.ts';
import { type Context, readContext } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { deleteDocument } from '../document/delete.ts';
import { textOf } from '../document/document.ts';
import { readDocument } from '../document/read.ts';
import { isRefusal, ServiceError } from '../kernel/errors.ts';
import { mayWriteField } from './attached-field.ts';
import { hasRight } from './file-access.ts';
import { folderPath, HOME, isFolder } from './folder.ts';
import { authoriseFile } from './serve-file.ts';
import type { UnclaimedContent } from './stored-file.ts';
import { type ArchiveFile, readArchive, understood } from './unzip-archive.ts';
import { checkUpload, createFile, discardContent, type FileSite, receiveContent } from './upload-file.ts';
import { requireSpace } from './upload-rules.ts';

/**
 * Puts the files in a zip in its place: in its folder, attached to what it is attached to, private as it is; the zip is
 * deleted. With `keepFolders` in folders as in the zip, else all in one. `run` runs what it is given in one unit of work,
 * or not at all when this was answered before. Either all files are there afterwards, or none and the zip still is.
 * @throws ServiceError PermissionError without the right to delete the zip, what `readArchive` refuses, and what an
 *   upload of each file would be refused for
 */
export async function unzipFile<T>(
  site: FileSite,
  user: CurrentUser,
  name: string,
  keepFolders: boolean,
  run: (work: (ctx: Context) => Promise<Document[]>) => Promise<T>,
): Promise<T> {
  const ctx = readContext(site, user);
  let zip: Document;
  try {
    zip = await readDocument(ctx, 'File', name);
  } catch (error) {
    // It may be gone because this very request was answered before.
    return run(() => Promise.reject(error));
  }
  if (!(await hasRight(ctx, zip, 'delete'))) {
    throw new ServiceError('PermissionError', `No permission to replace File ${name}`, {
      title: 'Not permitted',
    });
  }
  if (zip.is_folder === 1) throw new ServiceError('ValidationError', 'A folder cannot be unpacked');
  await checkUpload(site, user, fieldsOf(ctx, zip, HOME));
  const stored = await authoriseFile(ctx, String(zip.file_url ?? ''));
  const files = await readArchive(site.storage, stored, site.settings.maxFileBytes);
  // The zip makes room for them.
  const unpacked = files.reduce((sum, file) => sum + file.bytes, 0);
  await requireSpace(ctx, unpacked - (zip.owner === user.name ? stored.bytes : 0));
  const contents: UnclaimedContent[] = [];
  const discard = () => Promise.all(contents.map((content) => discardContent(site, content)));
  let isTried = false;
  try {
    for (const file of files) {
      contents.push(await understood(() => receiveContent(site, file.open())));
    }
    const result = await run((unit) => {
      isTried = true;
      return replace(unit, zip, files, contents, keepFolders);
    });
    if (!isTried) await discard();
    return result;
  } catch (error) {
    // Otherwise the collection looks whose the bytes are.
    if (!isTried || isRefusal(error)) await discard();
    throw error;
  }
}

async function replace(
  ctx: Context,
  zip: Document,
  files: readonly ArchiveFile[],
  contents: readonly UnclaimedContent[],
  keepFolders: boolean,
): Promise<Document[]> {
  // First, so that it makes room among the attachments of its document.
  await deleteDocument(ctx, 'File', zip.name);
  const folders = new Map([['', String(zip.folder || HOME)]]);
  const made: Document[] = [];
  for (const [index, file] of files.entries()) {
    const folder = await folderOf(ctx, keepFolders ? file.folders : [], folders);
    made.push(await createFile(ctx, contents[index] ?? null, file.name, fieldsOf(ctx, zip, folder)));
  }
  return made;
}

/** The folder for a path of an archive, made where it is missing. */
async function folderOf(ctx: Context, path: readonly string[], known: Map<string, string>): Promise<string> {
  const key = path.join('/');
  const before = known.get(key);
  if (before !== undefined) return before;
  const parent = await folderOf(ctx, path.slice(0, -1), known);
  const title = path.at(-1) ?? '';
  const folder = folderPath(parent, title);
  if (!(await isFolder(ctx, folder))) {
    await createDocument(ctx, 'File', { file_name: title, folder: parent, is_folder: 1 });
  }
  known.set(key, folder);
  return folder;
}

/** What an upload would say of a file that takes the zip's place. */
function fieldsOf(ctx: Context, zip: Document, folder: string): ReadonlyMap<string, string> {
  const fields = new Map([
    ['folder', folder],
    ['is_private', zip.is_private === 1 ? '1' : '0'],
  ]);
  const doctype = ctx.doctypes.find(textOf(zip, 'attached_to_doctype'));
  const field = textOf(zip, 'attached_to_field');
  // What comes out is as open as the zip: it goes to the field, too, or stays with the user alone.
  const isPlaced = field === '' || (doctype && mayWriteField(ctx.doctypes, ctx.user, doctype, field));
  if (doctype && zip.attached_to_name && isPlaced) {
    fields.set('doctype', doctype.name);
    fields.set('docname', String(zip.attached_to_name));
    fields.set('fieldname', field);
  }
  return fields;
}
