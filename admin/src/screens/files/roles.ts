import type { HTMLAttributes } from 'react';
import type { TreeNode } from './tree-model.ts';

/* ARIA attributes of the parts of a virtualized grid or tree, because HTML tables and lists cannot be
   virtualized. The grid or tree keeps the focus and names its active part with `aria-activedescendant`. */

type Attributes = HTMLAttributes<HTMLElement>;

/** The grid with its key and click handlers. */
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

/** A row. `index` counts from 0. */
export function rowAttributes(index: number, isChosen?: boolean): Attributes {
  return { role: 'row', 'aria-rowindex': index + 1, 'aria-selected': isChosen };
}

/** A cell. A selectable cell states whether it is selected. */
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

/** Scrollable text, which needs a tab stop and an accessible name. */
export function scrolledAttributes(label: string): Attributes {
  return { role: 'region', tabIndex: 0, 'aria-label': label };
}
