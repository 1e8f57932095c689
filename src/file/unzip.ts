import type { CurrentUser } from '../access/user.ts';
import type { Document } from '../doctype/doctype.ts';
import { readContext } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { textOf } from '../document/document.ts';
import { createDocument } from '../document/verbs/create.ts';
import { deleteDocument } from '../document/verbs/delete.ts';
import { readDocument } from '../document/verbs/read.ts';
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
 * Replaces a zip by its files: in its folder, attached to the same document, with the same privacy. With
 * `keepFolders` in folders as in the zip, else all in one. `run` runs its argument in one unit of work, or
 * not at all if this request was answered before. Either all files are created, or none and the zip stays.
 * @throws ServiceError PermissionError without the right to delete the zip, the errors of `readArchive`, and
 * those of an upload of each file
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
    // The zip may be gone because this very request was answered before.
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
  // The deleted zip makes room for them.
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
    // Otherwise the collection finds out whether the bytes are in use.
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

/** The folder for a path of an archive, created if it is missing. */
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

/** The fields of an upload that would replace the zip. */
function fieldsOf(ctx: Context, zip: Document, folder: string): ReadonlyMap<string, string> {
  const fields = new Map([
    ['folder', folder],
    ['is_private', zip.is_private === 1 ? '1' : '0'],
  ]);
  const doctype = ctx.doctypes.find(textOf(zip, 'attached_to_doctype'));
  const field = textOf(zip, 'attached_to_field');
  // The files are as accessible as the zip: attached to its field, or else private to the user.
  const isPlaced = field === '' || (doctype && mayWriteField(ctx.doctypes, ctx.user, doctype, field));
  if (doctype && zip.attached_to_name && isPlaced) {
    fields.set('doctype', doctype.name);
    fields.set('docname', String(zip.attached_to_name));
    fields.set('fieldname', field);
  }
  return fields;
}
