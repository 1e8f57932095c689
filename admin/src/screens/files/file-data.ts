import { queryOptions } from '@tanstack/react-query';
import { callMethod, methodPath } from '../../data/api.ts';
import { errorOf } from '../../data/api-error.ts';
import { deleteDocument, listRows, readDocument, updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { addressOf } from '../../data/wire.ts';
import { addressOfFile, type FileItem, itemOf } from './file-item.ts';

/** The number of items directly in a folder. */
export interface FolderCount {
  readonly all: number;
  readonly folders: number;
}

/** Counts the items in each of these folders that the user may see. */
export function countsQuery(folders: readonly string[]) {
  const query = {
    fields: ['folder', 'count(name) as all', 'sum(is_folder) as folders'],
    filters: [['folder', 'in', folders] as const],
    group_by: 'folder',
    order_by: 'folder asc',
    limit_page_length: 1_000,
  };
  return queryOptions({
    queryKey: keys.list('File', query),
    enabled: folders.length > 0,
    queryFn: async ({ signal }) => {
      const rows = await listRows('File', query, { signal });
      return new Map<string, FolderCount>(
        rows.map((row) => [
          String(row['folder']),
          { all: Number(row['all']), folders: Number(row['folders'] ?? 0) },
        ]),
      );
    },
  });
}

/** The subfolders of a folder, sorted by name. */
export function subfoldersQuery(folder: string) {
  const query = {
    fields: ['name', 'file_name'],
    filters: [['folder', '=', folder] as const, ['is_folder', '=', 1] as const],
    order_by: 'file_name asc, name asc',
    // The server's maximum of folders per user.
    limit_page_length: 1_000,
  };
  return queryOptions({
    queryKey: keys.list('File', query),
    queryFn: async ({ signal }) => {
      const rows = await listRows('File', query, { signal });
      return rows.map((row) => ({
        path: String(row['name']),
        title: String(row['file_name'] ?? row['name']),
      }));
    },
  });
}

/** One File, for its details. */
export function fileQuery(name: string) {
  return queryOptions({
    queryKey: keys.doc('File', name),
    queryFn: async ({ signal }) => {
      const { doc } = await readDocument('File', name, { signal });
      return { item: itemOf(doc), creation: doc.creation, owner: doc.owner, modifiedBy: doc.modified_by };
    },
  });
}

/** The number and total bytes of a user's files. */
export function usageQuery(user: string) {
  const query = {
    fields: ['count(name) as files', 'sum(file_size) as bytes'],
    filters: [['owner', '=', user] as const, ['is_folder', '=', 0] as const],
    limit_page_length: 1,
  };
  return queryOptions({
    queryKey: keys.list('File', query),
    queryFn: async ({ signal }) => {
      const [row] = await listRows('File', query, { signal });
      return { files: Number(row?.['files'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) };
    },
  });
}

/** Creates a folder, or finds the existing one with this name. Resolves to its path. */
export async function createFolder(parent: string, title: string): Promise<string> {
  const folder = await callMethod<{ name: string }>('frappe.core.api.file.create_new_folder', {
    file_name: title,
    folder: parent,
  });
  return folder.name;
}

/** Renames a file or folder. Resolves to its new name, which for a folder is its path. */
export async function rename({ name, isFolder }: FileItem, title: string): Promise<string> {
  if (!isFolder) {
    await updateDocument('File', name, { file_name: title });
    return name;
  }
  const folder = await callMethod<{ name: string }>('chancery.rename_folder', { name, file_name: title });
  return folder.name;
}

/** Moves files and folders to a folder: all of them or none. */
export async function moveTo(folder: string, names: readonly string[]): Promise<void> {
  await callMethod('frappe.core.api.file.move_file', {
    file_list: names.map((name) => ({ name })),
    new_parent: folder,
  });
}

/** Makes a file private or public. */
export async function setPrivate(name: string, isPrivate: boolean): Promise<void> {
  await updateDocument('File', name, { is_private: isPrivate ? 1 : 0 });
}

export async function deleteFile(name: string): Promise<void> {
  await deleteDocument('File', name);
}

/** Creates a link that opens a private file without sign-in until it expires. */
export async function makeLink(
  name: string,
  seconds: number,
): Promise<{ readonly url: string; readonly expires: string }> {
  const { url, expires } = await callMethod<{ url: string; expires: string }>('chancery.file_link', {
    name,
    expires_in: seconds,
  });
  return { url: new URL(url, location.origin).href, expires };
}

/** The address of a zip of files and folders. */
export function zipAddress(names: readonly string[]): string {
  return addressOf(methodPath('frappe.core.api.file.zip_files'), { files: names });
}

/** Invalidates all cached data about files. */
export async function refreshFiles(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.lists('File') }),
    queryClient.invalidateQueries({ queryKey: ['doc', 'File'] }),
  ]);
}

/** Maximum bytes shown of a text file. Browsers take too long to lay out more. */
export const SHOWN_BYTES = 256 * 1024;

/** The beginning of a text file; null if the file is not text. */
export function textQuery({ url, bytes, modified }: FileItem) {
  return queryOptions({
    queryKey: ['file text', url, modified] as const,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      if (bytes === 0) return '';
      const range = `bytes=0-${SHOWN_BYTES - 1}`;
      const response = await fetch(addressOfFile(url), { signal, headers: { range } });
      if (!response.ok)
        throw errorOf(response.status, await response.text(), (name) => response.headers.get(name));
      const text = new TextDecoder().decode(await response.arrayBuffer());
      return text.includes('\0') ? null : text;
    },
  });
}
