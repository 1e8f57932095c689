import type { ReactNode, Ref } from 'react';
import type { ListQuery } from '../data/documents.ts';
import type { Column } from './list-columns.ts';
import type { Extent } from './list-extent.ts';
import type { ColumnActions } from './list-header-props.ts';
import type { OrderTerm } from './list-search.ts';
import type { Selection } from './list-selection.ts';
import type { OpenOptions } from './use-list-cursor.ts';

/** Actions of a list for the components around it. */
export interface ListGridHandle {
  readonly focus: () => void;
  /** Moves the active row, and selects the rows in between if asked to. */
  readonly move: (rows: number) => void;
  readonly toggle: () => void;
  /** Counted from 0. */
  readonly goTo: (row: number) => void;
  /** Scrolls to the first row. */
  readonly toTop: () => void;
}

/** State of a list for the components around it. */
export interface ListStatus {
  readonly first: number;
  readonly last: number;
  readonly extent: Extent;
}

export interface ListGridProps {
  readonly ref?: Ref<ListGridHandle>;
  readonly label: string;
  readonly doctype: string;
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly order: readonly OrderTerm[];
  readonly actions: ColumnActions;
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  readonly onOpen: (name: string, options?: OpenOptions) => void;
  /** Called when the user goes to the last row, which may be unknown. */
  readonly onEnd: () => Promise<number>;
  /** Shown instead of an empty list. */
  readonly whenEmpty: ReactNode;
  readonly whenFailed: (error: unknown, retry: () => void) => ReactNode;
  /** Floats over the first rows. */
  readonly above?: ReactNode;
  readonly footer: (status: ListStatus) => ReactNode;
}
