import { createContext, useContext } from 'react';
import type { Field, Meta } from '../meta/meta.ts';
import type { ChildColumn } from './child-columns.ts';
import type { Cursor } from './child-cursor.ts';

/**
 * Context of a table's grid for its rows and cells. The object stays the same until columns or rights change.
 */
export interface ChildGridParts {
  /** Fieldname of the table. */
  readonly table: string;
  readonly meta: Meta;
  readonly columns: readonly ChildColumn[];
  readonly cursor: Cursor;
  readonly isReadOnly: boolean;
  /** Prefix of the cells' ids. */
  readonly gridId: string;
  /** True if the cell can be changed now. */
  readonly isOpen: (field: Field, row: number) => boolean;
  readonly openRow: (row: number) => void;
  /** Moves the focus back to the grid. */
  readonly focus: () => void;
}

/** Provided by `ChildGrid`. */
export const ChildGridContext = createContext<ChildGridParts | null>(null);

/** The grid that surrounds a cell. */
export function useChildGrid(): ChildGridParts {
  const grid = useContext(ChildGridContext);
  if (!grid) throw new Error('used outside of a grid');
  return grid;
}

/** The id of a cell's element. Column -1 is the row header. */
export function cellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row}-${column}`;
}
