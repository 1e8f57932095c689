import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { type ListKey, listKeyOf } from './list-keys.ts';
import { isHandled, isMarking, type Press } from './list-press.ts';
import type { Row } from './list-requests.ts';
import { choosing, EVERYTHING, isChosen, NOTHING, type Selection } from './list-selection.ts';
import type { ListWindow } from './use-list-window.ts';

/** The cell that key presses act on. Row -1 is the header. */
interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface OpenOptions {
  /** Opens it in a new tab. */
  readonly isApart?: boolean;
}

interface CursorOptions {
  readonly window: ListWindow;
  readonly columns: number;
  readonly count: number;
  readonly hasHead: boolean;
  readonly isRtl: boolean;
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  readonly onOpen: (name: string, options?: OpenOptions) => void;
  /** Called for Enter on a column header. */
  readonly onHead: (column: number, isAdding: boolean) => void;
  readonly openMenu: (column: number) => void;
  /** Goes to the last row. Resolves to its number once the rows are counted. */
  readonly onEnd: () => Promise<number>;
  /** Number of visible rows. */
  readonly page: () => number;
  /** Scrolls to a cell. */
  readonly show: (row: number, column: number) => void;
}

/** The active cell of a list. Handles keys and clicks, and updates the selection. */
export function useListCursor(options: CursorOptions) {
  const { window, columns, count, selection, onSelection, show } = options;
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 });
  // The start of a range, and the selection at that time.
  const anchor = useRef<{ readonly row: number; readonly before: Selection } | null>(null);
  const active = {
    row: Math.min(cell.row, count - 1),
    column: Math.max(0, Math.min(cell.column, columns - 1)),
  };

  // The selection after the key presses since the last render, and the range requested last.
  const chosen = useRef(selection);
  chosen.current = selection;
  const ranged = useRef<symbol | null>(null);
  const choose = (next: Selection) => {
    ranged.current = null;
    chosen.current = next;
    onSelection(next);
  };

  // The last row while it is being counted. Keys already act on it.
  const last = useRef<Promise<number> | null>(null);
  const here = async () => (await last.current?.catch(() => null)) ?? active.row;

  const go = (row: number, column: number) => {
    last.current = null;
    const next = {
      row: Math.max(options.hasHead ? -1 : 0, Math.min(row, count - 1)),
      column: Math.max(0, Math.min(column, columns - 1)),
    };
    setCell(next);
    show(next.row, next.column);
    return next;
  };
  // A key can be pressed before its row has loaded. The list itself shows a failed request.
  const arrivals = async (start: number, end: number): Promise<readonly Row[]> =>
    window.rowsBetween(start, end).catch(() => []);
  const arrival = async (index: number): Promise<Row | undefined> =>
    window.rowAt(index) ?? (await arrivals(index, index + 1))[0];
  const extendTo = async (row: number) => {
    anchor.current ??= { row: Math.max(0, active.row), before: chosen.current };
    const { row: from, before } = anchor.current;
    const range = Symbol();
    ranged.current = range;
    const rows = await arrivals(Math.min(from, row), Math.max(from, row) + 1);
    if (ranged.current !== range) return;
    choose(
      choosing(
        before,
        rows.map((one) => String(one['name'])),
        true,
      ),
    );
  };
  const toggleRow = async (index: number) => {
    const row = await arrival(index);
    if (!row) return;
    const name = String(row['name']);
    const next = choosing(chosen.current, [name], !isChosen(chosen.current, name));
    anchor.current = { row: index, before: next };
    choose(next);
  };
  const move = (rows: number, byColumns: number, isSelecting: boolean) => {
    if (!isSelecting) anchor.current = null;
    else anchor.current ??= { row: Math.max(0, active.row), before: chosen.current };
    const next = go(active.row + rows, active.column + byColumns);
    if (isSelecting && next.row >= 0) void extendTo(next.row);
  };
  const toggle = async () => toggleRow(await here());
  const openRow = async (index: number, how?: OpenOptions) => {
    const row = await arrival(index);
    if (row) options.onOpen(String(row['name']), how);
  };
  const open = async () => openRow(await here());
  const goToEnd = () => {
    const counting = options.onEnd();
    last.current = counting;
    void counting.finally(() => {
      if (last.current === counting) last.current = null;
    });
  };
  const act = (key: ListKey, isAdding: boolean) => {
    switch (key.act) {
      case 'move':
        return move(key.rows, key.columns, key.isSelecting);
      case 'go':
        anchor.current = null;
        if (key.to === 'first') return go(0, active.column);
        return goToEnd();
      case 'open':
        return active.row < 0 ? options.onHead(active.column, isAdding) : void open();
      case 'toggle':
        return active.row < 0 ? options.onHead(active.column, isAdding) : void toggle();
      case 'menu':
        return options.openMenu(active.column);
      case 'all':
        return choose(EVERYTHING);
      case 'clear':
        return choose(NOTHING);
    }
  };
  return {
    active,
    move,
    open: () => void open(),
    toggle: () => void toggle(),
    goTo: (row: number) => {
      last.current = null;
      setCell({ row, column: active.column });
      show(row, active.column);
    },
    selectAll: (isOn: boolean) => choose(isOn ? EVERYTHING : NOTHING),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (!isOwn(event)) return;
      const isOnControl = event.target !== event.currentTarget;
      if (isOnControl && ['Enter', ' '].includes(event.key)) return;
      const key = listKeyOf(event, { page: options.page(), isRtl: options.isRtl });
      if (!key || (key.act === 'clear' && chosen.current === NOTHING)) return;
      event.preventDefault();
      act(key, event.shiftKey);
    },
    onPress: (press: Press | null, event: MouseEvent<HTMLElement>) => {
      if (!press || !isOwn(event) || event.button > 1) return;
      last.current = null;
      setCell({ row: press.row, column: press.column });
      if (isHandled(event)) return;
      event.currentTarget.focus({ preventScroll: true });
      if (press.row < 0) return;
      if (event.shiftKey) void extendTo(press.row);
      else if (press.isSelect) void toggleRow(press.row);
      else if (event.ctrlKey || event.metaKey || event.button === 1)
        void openRow(press.row, { isApart: true });
      else if (!isMarking()) void openRow(press.row);
    },
  };
}

// React events of a menu that a header opened bubble up to here, although the menu is elsewhere in the DOM.
function isOwn(event: { readonly currentTarget: Element; readonly target: EventTarget }): boolean {
  return event.target instanceof Node && event.currentTarget.contains(event.target);
}
