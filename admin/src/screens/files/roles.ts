import type { HTMLAttributes } from 'react';
import type { TreeNode } from './tree-model.ts';

/*
 * What the parts of a windowed grid or tree say of themselves: no elements of HTML can be windowed. None of
 * them takes the focus; the grid or tree around has it, and names the one that is active.
 */

type Attributes = HTMLAttributes<HTMLElement>;

/** The grid, with what it does on keys and presses. */
export function gridAttributes(
  label: string,
  rows: number,
  isBusy: boolean,
  active: string | undefined,
): Attributes {
  return {
    role: 'grid',
    tabIndex: 0,
    'aria-label': label,
    'aria-multiselectable': true,
    'aria-rowcount': rows,
    'aria-busy': isBusy,
    'aria-activedescendant': active,
  };
}

/** A row; its place counts from 0. */
export function rowAttributes(index: number, isChosen?: boolean): Attributes {
  return { role: 'row', 'aria-rowindex': index + 1, 'aria-selected': isChosen };
}

/** A cell; one that is chosen by itself says whether it is. */
export function cellAttributes(isChosen?: boolean): Attributes {
  return isChosen === undefined ? { role: 'gridcell' } : { role: 'gridcell', 'aria-selected': isChosen };
}

/** A folder of the tree. */
export function treeItemAttributes(node: TreeNode, isCurrent: boolean, onClick: () => void): Attributes {
  return {
    role: 'treeitem',
    'aria-level': node.level,
    'aria-posinset': node.position,
    'aria-setsize': node.siblings,
    'aria-selected': isCurrent,
    'aria-expanded': node.hasChildren ? node.isOpen : undefined,
    onClick,
  };
}

/** Text that scrolls by itself: reached by the keyboard, and named. */
export function scrolledAttributes(label: string): Attributes {
  return { role: 'region', tabIndex: 0, 'aria-label': label };
}
