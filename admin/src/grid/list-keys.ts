/** The action of a key press in a list. */
export type ListKey =
  | { readonly act: 'move'; readonly rows: number; readonly columns: number; readonly isSelecting: boolean }
  | { readonly act: 'go'; readonly to: 'first' | 'last' }
  | { readonly act: 'open' | 'toggle' | 'all' | 'menu' | 'clear' };

interface Press {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Maps a key press to an action; null if the list does not use the key. */
export function listKeyOf(
  press: Press,
  { page, isRtl }: { readonly page: number; readonly isRtl: boolean },
): ListKey | null {
  const { key, shiftKey: isSelecting } = press;
  const isModified = press.ctrlKey || press.metaKey;
  if (isModified && key.toLowerCase() === 'a') return { act: 'all' };
  if (press.altKey && key === 'ArrowDown') return { act: 'menu' };
  if (press.altKey) return null;
  if (key === 'Home' || (isModified && key === 'ArrowUp')) return { act: 'go', to: 'first' };
  if (key === 'End' || (isModified && key === 'ArrowDown')) return { act: 'go', to: 'last' };
  if (isModified) return null;
  const rows = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[key];
  if (rows !== undefined) return { act: 'move', rows, columns: 0, isSelecting };
  const columns = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (columns !== undefined)
    return { act: 'move', rows: 0, columns: isRtl ? -columns : columns, isSelecting: false };
  if (key === 'Enter') return { act: 'open' };
  if (key === ' ') return { act: 'toggle' };
  if (key === 'Escape') return { act: 'clear' };
  return key === 'ContextMenu' || (key === 'F10' && isSelecting) ? { act: 'menu' } : null;
}
