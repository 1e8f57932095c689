import { type KeyboardEvent, type MouseEvent, useEffect, useState } from 'react';
import { isMac } from '../../base/shortcuts.ts';
import { type Chosen, choosing, NONE } from './chosen.ts';
import type { FileItem } from './file-item.ts';
import { moved, type Place, rangeOf } from './list-moves.ts';

interface CursorNeeds {
  readonly count: number;
  /** Whether `count` is the final count, not the rows known so far. */
  readonly isCounted: boolean;
  readonly columns: number;
  readonly page: () => number;
  readonly isRtl: boolean;
  readonly itemAt: (index: number) => FileItem | undefined;
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
  readonly show: (index: number) => void;
  readonly onOpen: (item: FileItem) => void;
  readonly onRename: (item: FileItem) => void;
  readonly onDelete: (items: readonly FileItem[]) => void;
  readonly onUp: () => void;
  readonly onAll: () => void;
}

/** The last row, whatever its index will be. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The active file of a list or grid: what keys and the pointer do with it. */
export function useFileCursor(needs: CursorNeeds) {
  const [place, setPlace] = useState<Place>({ at: 0, anchor: 0 });
  const { count, isCounted, itemAt, chosen, onChosen, show } = needs;
  const at = Math.min(place.at, Math.max(0, count - 1));
  // The cursor follows the last row until the server has counted the rows.
  const isFollowing = place.at === LAST;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` is new in each render
  useEffect(() => {
    if (!isFollowing) return;
    show(at);
    if (isCounted) setPlace({ at, anchor: at });
  }, [isFollowing, isCounted, at]);

  const range = (to: Place) => {
    const items = rangeOf(to).flatMap((index) => itemAt(index) ?? []);
    onChosen(choosing(NONE, items, true));
  };
  const toggle = (index: number) => {
    const item = itemAt(index);
    if (item) onChosen(choosing(chosen, [item], !chosen.has(item.name)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    const item = itemAt(at);
    if (action === 'open' && item) needs.onOpen(item);
    if (action === 'toggle') toggle(at);
    if (action === 'rename' && item) needs.onRename(item);
    if (action === 'delete') needs.onDelete(chosen.size > 0 ? [...chosen.values()] : item ? [item] : []);
    if (action === 'up') needs.onUp();
    if (action === 'all') needs.onAll();
    if (action === 'none') onChosen(NONE);
    if (action !== 'move') return;
    const to = moved({ at, anchor: place.anchor }, event.key, event.shiftKey, {
      count,
      columns: needs.columns,
      page: needs.page(),
      isRtl: needs.isRtl,
    });
    if (!to) return;
    if (event.key === 'End' && !event.shiftKey && !isCounted) {
      setPlace({ at: LAST, anchor: LAST });
      return;
    }
    setPlace(to);
    show(to.at);
    if (event.shiftKey) range(to);
  };
  const onPress = (index: number, event: MouseEvent, isBox: boolean) => {
    const item = itemAt(index);
    if (!item) return;
    const to = { at: index, anchor: event.shiftKey ? place.anchor : index };
    setPlace(to);
    if (event.shiftKey) range(to);
    else if (isBox || event.ctrlKey || event.metaKey) toggle(index);
    else onChosen(choosing(NONE, [item], true));
  };
  /** A link was followed there: it is where keys go on. */
  const goTo = (index: number) => setPlace({ at: index, anchor: index });
  return { at, onKeyDown, onPress, goTo };
}

type Action = 'open' | 'toggle' | 'rename' | 'delete' | 'up' | 'all' | 'none' | 'move';

const ACTIONS: Readonly<Record<string, Action>> = {
  Enter: 'open',
  ' ': 'toggle',
  x: 'toggle',
  F2: 'rename',
  Delete: 'delete',
  Backspace: 'up',
  Escape: 'none',
};
const MOVES: ReadonlySet<string> = new Set(
  'ArrowDown ArrowUp ArrowLeft ArrowRight PageDown PageUp Home End j k'.split(' '),
);

function actionOf(event: KeyboardEvent): Action | null {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (mod && event.key === 'a') return 'all';
  if (mod || event.altKey || event.ctrlKey || event.metaKey) return null;
  return MOVES.has(event.key) ? 'move' : (ACTIONS[event.key] ?? null);
}
