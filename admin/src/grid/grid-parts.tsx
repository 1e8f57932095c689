import type { ComponentPropsWithRef } from 'react';

/* Parts of a grid, built from plain elements because a `<table>` cannot be virtualized. The grid itself
   keeps the focus and names its active cell with `aria-activedescendant`: cells unmount during scrolling
   and would take the focus with them. */

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
