import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { isMac } from '../../base/shortcuts.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { type Chosen, choosing, NONE } from './chosen.ts';
import type { FileItem } from './file-item.ts';
import { moved, type Place, rangeOf } from './list-moves.ts';

interface CursorNeeds {
  readonly count: number;
  /** True if `count` is final, not just the rows known so far. */
  readonly isCounted: boolean;
  readonly columns: number;
  readonly page: () => number;
  readonly isRtl: boolean;
  readonly itemAt: (index: number) => FileItem | undefined;
  /** The items of a range. Requests the missing ones. */
  readonly itemsBetween: (start: number, end: number) => Promise<readonly FileItem[]>;
  readonly chosen: Chosen;
  readonly onChosen: (next: Chosen | ((before: Chosen) => Chosen)) => void;
  readonly show: (index: number) => void;
  readonly onOpen: (item: FileItem) => void;
  readonly onRename: (item: FileItem) => void;
  readonly onDelete: (items: readonly FileItem[]) => void;
  readonly onUp: () => void;
  /** Selects all items and resolves to them. */
  readonly onAll: () => Promise<readonly FileItem[]>;
  /** Resolves to the final count. */
  readonly onCount: () => Promise<number>;
}

/** The last row, before its index is known. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The active file of a list or grid. Handles keys and clicks. */
export function useFileCursor(needs: CursorNeeds) {
  const [place, setPlace] = useState<Place>({ at: 0, anchor: 0 });
  const { count, isCounted, itemAt, chosen, onChosen, show } = needs;
  const at = Math.min(place.at, Math.max(0, count - 1));
  const isBeforeLast = place.at === LAST && isCounted;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` is new in each render
  useEffect(() => {
    if (!isBeforeLast) return;
    show(at);
    setPlace({ at, anchor: at });
  }, [isBeforeLast, at]);
  // The final count, while the cursor follows the last row.
  const counting = useRef<Promise<number> | null>(null);
  // The range requested last, and the chosen files until their choice is rendered.
  const ranged = useRef<Place | null>(null);
  const gathered = useRef<Promise<readonly FileItem[]> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `chosen` is the choice that has been rendered
  useEffect(() => {
    gathered.current = null;
  }, [chosen]);

  // A key can be pressed before its row has loaded. The list itself shows a failed request.
  const arrivals = async (start: number, end: number) => needs.itemsBetween(start, end).catch(() => []);
  const arrival = async (index: number) => itemAt(index) ?? (await arrivals(index, index + 1))[0];
  const here = async () => {
    const total = place.at === LAST ? await counting.current?.catch(() => null) : null;
    return typeof total === 'number' ? total - 1 : at;
  };
  const range = async (to: Place) => {
    ranged.current = to;
    gathered.current = arrivals(...rangeOf(to));
    const items = await gathered.current;
    if (ranged.current === to) onChosen(choosing(NONE, items, true));
  };
  const only = (items: readonly FileItem[]) => {
    ranged.current = null;
    gathered.current = null;
    onChosen(choosing(NONE, items, true));
  };
  const toggle = async (index: number) => {
    const item = await arrival(index);
    if (item) onChosen((before) => choosing(before, [item], !before.has(item.name)));
  };
  const all = () => {
    const items = needs.onAll();
    gathered.current = items;
    void items.then((found) => {
      // A failed request chooses nothing.
      if (found.length === 0 && gathered.current === items) gathered.current = null;
    });
  };
  const remove = async () => {
    if (gathered.current !== null) return needs.onDelete(await gathered.current);
    if (chosen.size > 0) return needs.onDelete([...chosen.values()]);
    const item = await arrival(await here());
    needs.onDelete(item ? [item] : []);
  };
  const withItem = async (act: (item: FileItem) => void) => {
    const item = await arrival(await here());
    if (item) act(item);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (action === 'open') void withItem(needs.onOpen);
    if (action === 'toggle') void here().then(toggle);
    if (action === 'rename') void withItem(needs.onRename);
    if (action === 'delete') void remove();
    if (action === 'up') needs.onUp();
    if (action === 'all') all();
    if (action === 'none') only([]);
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
      counting.current = needs.onCount();
      counting.current.catch(tellFailure);
      return;
    }
    setPlace(to);
    show(to.at);
    if (event.shiftKey) void range(to);
  };
  const onPress = (index: number, event: MouseEvent, isBox: boolean) => {
    const item = itemAt(index);
    if (!item) return;
    const to = { at: index, anchor: event.shiftKey ? place.anchor : index };
    setPlace(to);
    if (event.shiftKey) void range(to);
    else if (isBox || event.ctrlKey || event.metaKey) void toggle(index);
    else only([item]);
  };
  /** Keys continue from the clicked link. */
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
