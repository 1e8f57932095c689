import { createDocument } from '../../document/create.ts';
import { readDocument } from '../../document/read.ts';
import { folderPath, HOME, isFolder } from '../../file/folder.ts';
import { attachedUrls, listFolder, searchFiles } from '../../file/folder-list.ts';
import { moveFiles, renameFolder } from '../../file/folder-move.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Arguments, nameList, optionalText, textArgument } from '../arguments.ts';
import { type BuiltIns, reading, writing } from './built-in.ts';

/** Folders: what is in them, making them, and moving files and folders. */
export const folderMethods: BuiltIns = {
  /** The File document of the folder, which may have been there before. */
  'frappe.core.api.file.create_new_folder': writing(['POST', 'PUT'], async (ctx, args) => {
    const folder = optionalText(args, 'folder') ?? HOME;
    const title = textArgument(args, 'file_name');
    const path = folderPath(folder, title);
    if (await isFolder(ctx, path)) return readDocument(ctx, 'File', path);
    return createDocument(ctx, 'File', { file_name: title, folder, is_folder: 1 });
  }),

  /** `old_parent`, which clients send too, says nothing that the files do not. */
  'frappe.core.api.file.move_file': writing(['POST', 'PUT'], async (ctx, args) => {
    await moveFiles(ctx, nameList(args, 'file_list'), textArgument(args, 'new_parent'));
    return null;
  }),

  /** The File document of the folder under its new path. */
  'chancery.rename_folder': writing(['POST', 'PUT'], async (ctx, args) => {
    const path = await renameFolder(ctx, textArgument(args, 'name'), textArgument(args, 'file_name'));
    return readDocument(ctx, 'File', path);
  }),

  /** `{files, has_more, total}` */
  'frappe.core.api.file.get_files_in_folder': reading((ctx, args) =>
    listFolder(
      ctx,
      textArgument(args, 'folder'),
      wholeArgument(args, 'start', 0, Number.MAX_SAFE_INTEGER),
      wholeArgument(args, 'page_length', LIMITS.pageLength, LIMITS.argumentValues),
    ),
  ),

  'frappe.core.api.file.get_files_by_search_text': reading((ctx, args) =>
    searchFiles(ctx, optionalText(args, 'text') ?? '', optionalText(args, 'folder')),
  ),

  /** `{<document>: [url]}` */
  'frappe.core.api.file.get_attached_images': reading((ctx, args) =>
    attachedUrls(ctx, textArgument(args, 'doctype'), nameList(args, 'names')),
  ),
};

function wholeArgument(args: Arguments, name: string, usual: number, most: number): number {
  const value = optionalText(args, name);
  if (value === undefined) return usual;
  const number = Number(value);
  if (/^\d{1,15}$/.test(value) && number <= most) return number;
  throw new ServiceError('ValidationError', `Argument ${name} must be a whole number of at most ${most}`);
}
