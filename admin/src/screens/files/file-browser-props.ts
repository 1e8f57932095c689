import type { ReactNode } from 'react';
import type { ListQuery } from '../../data/documents.ts';
import type { Chosen } from './chosen.ts';
import type { FileItem } from './file-item.ts';
import type { FilesSearch } from './files-search.ts';

/** What the file browser shows, and whom it tells. */
export interface FileBrowserProps {
  readonly label: string;
  readonly query: ListQuery;
  readonly search: FilesSearch;
  readonly chosen: Chosen;
  readonly onChosen: (next: Chosen | ((before: Chosen) => Chosen)) => void;
  /** Resolves to all files. */
  readonly onChooseAll: () => Promise<readonly FileItem[]>;
  readonly onSort: (sort: FilesSearch['sort']) => void;
  readonly onUp: () => void;
  readonly whenEmpty: ReactNode;
}
