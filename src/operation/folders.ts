import { createDocument } from '../document/verbs/create.ts';
import { readDocument } from '../document/verbs/read.ts';
import { folderPath, HOME, isFolder } from '../file/folder.ts';
import { attachedUrls, listFolder, searchFiles } from '../file/folder-list.ts';
import { moveFiles, renameFolder } from '../file/folder-move.ts';
import { LIMITS } from '../kernel/limits.ts';
import { asSent, NAMES, OPTIONAL_TEXT, TEXT, whole } from './arguments.ts';
import { RENAMES } from './events.ts';
import { defineOperation, type Operation } from './operation.ts';
import { DOCUMENT, NOTHING, object, ROWS } from './result.ts';

/** Folders: listing and creating them, and moving files and folders. */
export const folderOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.core.api.file.create_new_folder',
    summary: 'Create a folder for files, or return the existing one',
    effect: 'write',
    events: ['after_insert', 'on_change'],
    args: { file_name: TEXT, folder: OPTIONAL_TEXT },
    result: DOCUMENT,
    run: async (ctx, { file_name: title, folder = HOME }) => {
      const path = folderPath(folder, title);
      if (await isFolder(ctx, path)) return readDocument(ctx, 'File', path);
      return createDocument(ctx, 'File', { file_name: title, folder, is_folder: 1 });
    },
  }),

  defineOperation({
    name: 'frappe.core.api.file.move_file',
    summary: 'Move files and folders into another folder',
    effect: 'write',
    events: ['after_rename', 'on_update', 'on_change'],
    // Clients send the old folder too, but the files already name it.
    args: { file_list: NAMES, new_parent: TEXT, old_parent: asSent({ type: 'string' }) },
    result: NOTHING,
    run: async (ctx, { file_list, new_parent }) => {
      await moveFiles(ctx, file_list, new_parent);
      return null;
    },
  }),

  defineOperation({
    name: 'chancery.rename_folder',
    summary: 'Rename a folder',
    effect: 'write',
    events: RENAMES,
    args: { name: TEXT, file_name: TEXT },
    result: DOCUMENT,
    run: async (ctx, { name, file_name }) =>
      readDocument(ctx, 'File', await renameFolder(ctx, name, file_name)),
  }),

  defineOperation({
    name: 'frappe.core.api.file.get_files_in_folder',
    summary: 'List what is directly in a folder',
    effect: 'read',
    args: {
      folder: TEXT,
      start: whole(0, Number.MAX_SAFE_INTEGER),
      page_length: whole(LIMITS.pageLength, LIMITS.argumentValues),
    },
    result: object({ files: ROWS, has_more: {}, total: { type: 'integer' } }),
    run: (ctx, { folder, start, page_length }) => listFolder(ctx, folder, start, page_length),
  }),

  defineOperation({
    name: 'frappe.core.api.file.get_files_by_search_text',
    summary: 'Find files by name',
    effect: 'read',
    args: { text: OPTIONAL_TEXT, folder: OPTIONAL_TEXT },
    result: ROWS,
    run: (ctx, { text = '', folder }) => searchFiles(ctx, text, folder),
  }),

  defineOperation({
    name: 'frappe.core.api.file.get_attached_images',
    summary: 'List the URLs of the files attached to documents, by document',
    effect: 'read',
    args: { doctype: TEXT, names: NAMES },
    result: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    run: (ctx, { doctype, names }) => attachedUrls(ctx, doctype, names),
  }),
];
