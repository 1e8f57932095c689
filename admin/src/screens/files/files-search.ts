import type { Filter, ListQuery } from '../../data/documents.ts';
import { HOME, ITEM_FIELDS } from './file-item.ts';

export type SortField = 'file_name' | 'modified' | 'file_size' | 'file_type';

/** Search parameters of the screen. */
export interface FilesSearch {
  readonly folder: string;
  /** Text to find in file names, in all folders. */
  readonly text: string;
  readonly view: 'list' | 'grid';
  readonly sort: { readonly field: SortField; readonly isDown: boolean };
  /** The File with open details. */
  readonly open: string | null;
}

const SORTS: readonly string[] = ['file_name', 'modified', 'file_size', 'file_type'] satisfies SortField[];

/** Parses search parameters. Users can edit these, so any value is possible. */
export function readFilesSearch(search: Readonly<Record<string, unknown>>): FilesSearch {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]));
  const [field = '', direction] = text('sort').split(' ');
  return {
    folder: text('folder') || HOME,
    text: text('q'),
    view: search['view'] === 'grid' ? 'grid' : 'list',
    sort: SORTS.includes(field)
      ? { field: field as SortField, isDown: direction === 'desc' }
      : { field: 'file_name', isDown: false },
    open: text('open') || null,
  };
}

/** `sort` as a search parameter; undefined for the default. */
export function sortParameter({ field, isDown }: FilesSearch['sort']): string | undefined {
  if (field === 'file_name' && !isDown) return undefined;
  return `${field} ${isDown ? 'desc' : 'asc'}`;
}

/** The query for rows, count and selection. */
export function filesQuery({ folder, text, sort }: Pick<FilesSearch, 'folder' | 'text' | 'sort'>): ListQuery {
  const filters: Filter[] =
    text === '' ? [['folder', '=', folder]] : [['file_name', 'like', `%${text.replace(/[\\%_]/g, '\\$&')}%`]];
  return {
    fields: ITEM_FIELDS,
    filters,
    order_by: `is_folder desc, ${sort.field} ${sort.isDown ? 'desc' : 'asc'}, name asc`,
  };
}
