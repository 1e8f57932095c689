/** A visible folder of the tree. */
export interface TreeNode {
  readonly path: string;
  readonly title: string;
  /** Counted from 1. */
  readonly level: number;
  readonly isOpen: boolean;
  /** Unknown before the folder was expanded, unless it is known to be empty. */
  readonly hasChildren: boolean;
  /** Position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

export interface Subfolder {
  readonly path: string;
  readonly title: string;
}

/** The visible rows of the tree: the root and the children of each expanded folder. */
export function visibleNodes(
  root: Subfolder,
  open: ReadonlySet<string>,
  childrenOf: (path: string) => readonly Subfolder[] | undefined,
  foldersIn: (path: string) => number | undefined,
): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  const add = (folder: Subfolder, level: number, position: number, siblings: number) => {
    const children = childrenOf(folder.path);
    const isOpen = open.has(folder.path);
    const hasChildren = children ? children.length > 0 : foldersIn(folder.path) !== 0;
    nodes.push({ ...folder, level, isOpen: isOpen && hasChildren, hasChildren, position, siblings });
    if (isOpen)
      children?.forEach((child, at) => {
        add(child, level + 1, at + 1, children.length);
      });
  };
  add(root, 1, 1, 1);
  return nodes;
}

/** Action of a key in the tree, or null. */
export type TreeMove =
  | { readonly to: number }
  | { readonly open: string }
  | { readonly close: string }
  | { readonly choose: string };

/** The standard keys of a tree. `isRtl` swaps the left and right arrows. */
export function treeMove(
  nodes: readonly TreeNode[],
  at: number,
  key: string,
  isRtl = false,
): TreeMove | null {
  const node = nodes[at];
  if (!node) return null;
  const inward = isRtl ? 'ArrowLeft' : 'ArrowRight';
  const outward = isRtl ? 'ArrowRight' : 'ArrowLeft';
  if (key === 'ArrowDown') return at + 1 < nodes.length ? { to: at + 1 } : null;
  if (key === 'ArrowUp') return at > 0 ? { to: at - 1 } : null;
  if (key === 'Home') return { to: 0 };
  if (key === 'End') return { to: nodes.length - 1 };
  if (key === 'Enter' || key === ' ') return { choose: node.path };
  if (key === inward) {
    if (!node.hasChildren) return null;
    return node.isOpen ? { to: at + 1 } : { open: node.path };
  }
  if (key === outward) {
    if (node.isOpen) return { close: node.path };
    const above = nodes.findLastIndex((one, index) => index < at && one.level < node.level);
    return above < 0 ? null : { to: above };
  }
  return letterMove(nodes, at, key);
}

// A letter moves to the next folder that starts with it.
function letterMove(nodes: readonly TreeNode[], at: number, key: string): TreeMove | null {
  if ([...key].length !== 1) return null;
  const letter = key.toLocaleLowerCase();
  const order = nodes.map((_, index) => (at + 1 + index) % nodes.length);
  const found = order.find((index) => nodes[index]?.title.toLocaleLowerCase().startsWith(letter));
  return found === undefined || found === at ? null : { to: found };
}
