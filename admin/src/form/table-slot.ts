import { type ComponentType, createContext } from 'react';
import type { Field, Meta } from '../meta/meta.ts';

/**
 * Props of a table's grid. The grid reads rows from the store of `useForm()` and listens to the visible ones.
 */
export interface TableProps {
  readonly field: Field;
  /** The doctype of the rows. */
  readonly child: Meta;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
  /** The error of the whole table. */
  readonly error?: string;
}

/** The grid component for table fields. The screen provides it, because grids are a separate layer. */
export const TableSlot = createContext<ComponentType<TableProps> | null>(null);
