import { type ComponentType, createContext } from 'react';
import type { Field, Meta } from '../meta/meta.ts';

/**
 * What the grid of a table gets. Rows it reads from the store of `useForm()`, and listens to what it shows.
 */
export interface TableProps {
  readonly field: Field;
  /** The doctype of the rows. */
  readonly child: Meta;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
  /** The error of the table as a whole. */
  readonly error?: string;
}

/** The grid that forms show tables with: grids are a layer of their own, and brought by the screen. */
export const TableSlot = createContext<ComponentType<TableProps> | null>(null);
