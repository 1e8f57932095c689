import { createContext, useContext } from 'react';
import type { Field, Meta } from '../meta/meta.ts';
import type { ChildColumn } from './child-columns.ts';
import type { Cursor } from './child-cursor.ts';

/** A table's grid as its rows and cells know it. The same object for as long as columns and rights are. */
export interface ChildGridParts {
  /** Fieldname of the table. */
  readonly table: string;
  readonly meta: Meta;
  readonly columns: readonly ChildColumn[];
  readonly cursor: Cursor;
  readonly isReadOnly: boolean;
  /** Prefix of the ids of cells. */
  readonly gridId: string;
  /** Whether a cell may be changed now. */
  readonly isOpen: (field: Field, row: number) => boolean;
  readonly openRow: (row: number) => void;
  /** Gives the keyboard back to the grid. */
  readonly focus: () => void;
}

/** Provided by `ChildGrid`. */
export const ChildGridContext = createContext<ChildGridParts | null>(null);

/** The grid around a cell. */
export function useChildGrid(): ChildGridParts {
  const grid = useContext(ChildGridContext);
  if (!grid) throw new Error('used outside of a grid');
  return grid;
}

/** The id of a cell's element; column -1 is the row's head. */
export function cellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row}-${column}`;
}
