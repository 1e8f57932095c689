import type { Column } from './list-columns.ts';
import type { PlacedColumn } from './list-row.tsx';
import type { OrderTerm } from './list-search.ts';

/** Actions on a column. */
export interface ColumnActions {
  readonly sort: (fieldname: string, options?: { readonly isAdding?: boolean }) => void;
  readonly order: (fieldname: string, isDescending: boolean) => void;
  readonly filter: (fieldname: string) => void;
  readonly pin: (fieldname: string, isPinned: boolean) => void;
  /** Moves the column to a position among all columns. */
  readonly move: (fieldname: string, to: number) => void;
  /** Null resets the default width. */
  readonly resize: (fieldname: string, width: number | null) => void;
  readonly hide: (fieldname: string) => void;
}

export interface ListHeaderProps {
  readonly gridId: string;
  readonly width: number;
  readonly columns: readonly Column[];
  readonly placed: readonly PlacedColumn[];
  readonly order: readonly OrderTerm[];
  readonly actions: ColumnActions;
  /** Selection state of all rows. */
  readonly selected: 'all' | 'some' | 'none';
  readonly onSelectAll: (isOn: boolean) => void;
  /** The active column if the header has the active cell, otherwise -1. */
  readonly activeColumn: number;
}
