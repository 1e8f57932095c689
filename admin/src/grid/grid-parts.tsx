import type { ComponentPropsWithRef } from 'react';

/*
 * Parts of a grid out of plain elements: a table's rows and cells could not be windowed. Only the grid itself
 * has the focus, and names its active cell: cells come and go while one scrolls, and would take the focus
 * with them.
 */

type PartProps = ComponentPropsWithRef<'div'>;

function makePart(role: string) {
  return function Part(props: PartProps) {
    return <div role={role} {...props} />;
  };
}

/** The element with the focus and the key handlers. */
export const Grid = makePart('grid');
export const RowGroup = makePart('rowgroup');
export const GridRow = makePart('row');
export const GridHead = makePart('columnheader');
export const GridRowHead = makePart('rowheader');
export const GridCell = makePart('gridcell');
