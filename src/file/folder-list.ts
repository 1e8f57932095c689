import type { Row } from '../db/database.ts';
import type { Context } from '../document/contract.ts';
import { countDocuments, listDocuments } from '../document/list/list.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** A page of a folder, with the files that its user may see. */
export interface FolderPage {
  /** Folders first, then by name; a folder has `count`, the number of its direct entries. */
  readonly files: readonly Row[];
  readonly has_more: boolean;
  /** Files and folders on all pages. */
  readonly total: number;
}

const SHOWN = [
  'name',
  'file_name',
  'file_url',
  'is_folder',
  'modified',
  'file_size',
  'file_type',
  'is_private',
];

/**
 * The direct entries of a folder; an unknown folder is empty. @throws ServiceError ValidationError for a bad
 * page
 */
export async function listFolder(
  ctx: Context,
  folder: string,
  start: number,
  length: number,
): Promise<FolderPage> {
  const filters = [['folder', '=', folder]];
  const files = await listDocuments(ctx, 'File', {
    fields: SHOWN,
    filters,
    order_by: 'is_folder desc, file_name asc, name asc',
    limit_start: start,
    limit_page_length: length,
  });
  const total = await countDocuments(ctx, 'File', { filters });
  const counts = await countsOf(ctx, files);
  return {
    files: files.map((row) => (row.is_folder === 1 ? { ...row, count: counts.get(row.name) ?? 0 } : row)),
    has_more: start + files.length < total,
    total,
  };
}

async function countsOf(ctx: Context, files: readonly Row[]): Promise<ReadonlyMap<unknown, number>> {
  const folders = files.filter((row) => row.is_folder === 1).map((row) => row.name);
  if (folders.length === 0) return new Map();
  const rows = await listDocuments(ctx, 'File', {
    fields: ['folder', 'count(name) as count'],
    filters: [['folder', 'in', folders]],
    group_by: 'folder',
    order_by: 'folder asc',
    limit_page_length: folders.length,
  });
  return new Map(rows.map((row) => [row.folder, Number(row.count)]));
}

/** Files whose name contains the text, the latest first; with `folder` only those in it. */
export async function searchFiles(ctx: Context, text: string, folder: string | undefined): Promise<Row[]> {
  if (text === '') return [];
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return listDocuments(ctx, 'File', {
    fields: ['name', 'file_name', 'file_url', 'is_folder', 'modified'],
    filters: [['is_folder', '=', 0], ...(folder === undefined ? [] : [['folder', '=', folder]])],
    or_filters: [
      ['file_name', 'like', pattern],
      ['file_url', '=', text],
      ['name', 'like', pattern],
    ],
    order_by: 'modified desc',
    limit_page_length: LIMITS.pageLength,
  });
}

/** Urls of the files attached to documents, by document; only those that the user may see. */
export async function attachedUrls(
  ctx: Context,
  doctype: string,
  names: readonly string[],
): Promise<Record<string, string[]>> {
  if (names.length > LIMITS.argumentValues) {
    throw new ServiceError('ValidationError', `names has at most ${LIMITS.argumentValues} values`);
  }
  if (names.length === 0) return {};
  const rows = await listDocuments(ctx, 'File', {
    fields: ['file_url', 'attached_to_name'],
    filters: [
      ['attached_to_doctype', '=', doctype],
      ['attached_to_name', 'in', names],
      ['is_folder', '=', 0],
    ],
    order_by: 'creation asc, name asc',
    limit_page_length: ctx.site.settings.maxPageLength,
  });
  const urls = new Map<string, string[]>();
  for (const { attached_to_name: name, file_url: url } of rows) {
    const known = urls.get(String(name));
    if (known) known.push(String(url));
    else urls.set(String(name), [String(url)]);
  }
  // As a map first: a document may be called `__proto__`.
  return Object.fromEntries(urls);
}
