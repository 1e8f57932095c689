import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { type ListKey, listKeyOf } from './list-keys.ts';
import type { Row } from './list-requests.ts';
import { choosing, EVERYTHING, isChosen, NOTHING, type Selection } from './list-selection.ts';
import type { ListWindow } from './use-list-window.ts';

/** The cell that keys act upon; row -1 is the head. */
interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Where somebody pressed. */
export interface Press extends Cell {
  /** On the box that chooses the row. */
  readonly isSelect: boolean;
}

interface CursorOptions {
  readonly window: ListWindow;
  readonly columns: number;
  readonly count: number;
  readonly hasHead: boolean;
  readonly isRtl: boolean;
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  readonly onOpen: (name: string) => void;
  /** Enter on a column's head. */
  readonly onHead: (column: number, isAdding: boolean) => void;
  readonly openMenu: (column: number) => void;
  /** Asked for the last row: only who counted knows it. */
  readonly onEnd: () => void;
  /** Rows that fit on the screen. */
  readonly page: () => number;
  /** Scrolls to a cell. */
  readonly show: (row: number, column: number) => void;
}

/** The active cell of a list, and what keys and the pointer do with it and with the selection. */
export function useListCursor(options: CursorOptions) {
  const { window, columns, count, selection, onSelection, show } = options;
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 });
  // Where a range began, and what was chosen then.
  const anchor = useRef<{ readonly row: number; readonly before: Selection } | null>(null);
  const active = {
    row: Math.min(cell.row, count - 1),
    column: Math.max(0, Math.min(cell.column, columns - 1)),
  };

  const go = (row: number, column: number) => {
    const next = {
      row: Math.max(options.hasHead ? -1 : 0, Math.min(row, count - 1)),
      column: Math.max(0, Math.min(column, columns - 1)),
    };
    setCell(next);
    show(next.row, next.column);
    return next;
  };
  const extendTo = async (row: number) => {
    anchor.current ??= { row: Math.max(0, active.row), before: selection };
    const { row: from, before } = anchor.current;
    const rows = await window.rowsBetween(Math.min(from, row), Math.max(from, row) + 1);
    onSelection(
      choosing(
        before,
        rows.map((one) => String(one['name'])),
        true,
      ),
    );
  };
  // A key may be pressed before its row has arrived. The list itself shows a failed request.
  const arrival = async (index: number): Promise<Row | undefined> =>
    window.rowAt(index) ?? (await window.rowsBetween(index, index + 1).catch(() => []))[0];
  const toggleRow = async (index: number) => {
    const row = await arrival(index);
    if (!row) return;
    const name = String(row['name']);
    const next = choosing(selection, [name], !isChosen(selection, name));
    anchor.current = { row: index, before: next };
    onSelection(next);
  };
  const move = (rows: number, byColumns: number, isSelecting: boolean) => {
    if (!isSelecting) anchor.current = null;
    else anchor.current ??= { row: Math.max(0, active.row), before: selection };
    const next = go(active.row + rows, active.column + byColumns);
    if (isSelecting && next.row >= 0) void extendTo(next.row);
  };
  const open = async () => {
    const row = await arrival(active.row);
    if (row) options.onOpen(String(row['name']));
  };
  const act = (key: ListKey, isAdding: boolean) => {
    switch (key.act) {
      case 'move':
        return move(key.rows, key.columns, key.isSelecting);
      case 'go':
        anchor.current = null;
        if (key.to === 'first') return go(0, active.column);
        return options.onEnd();
      case 'open':
        return active.row < 0 ? options.onHead(active.column, isAdding) : void open();
      case 'toggle':
        return active.row < 0 ? options.onHead(active.column, isAdding) : void toggleRow(active.row);
      case 'menu':
        return options.openMenu(active.column);
      case 'all':
        return onSelection(EVERYTHING);
      case 'clear':
        return onSelection(NOTHING);
    }
  };
  return {
    active,
    move,
    open: () => void open(),
    toggle: () => void toggleRow(active.row),
    goTo: (row: number) => {
      setCell({ row, column: active.column });
      show(row, active.column);
    },
    selectAll: (isOn: boolean) => onSelection(isOn ? EVERYTHING : NOTHING),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (!isOwn(event)) return;
      const isOnControl = event.target !== event.currentTarget;
      if (isOnControl && ['Enter', ' '].includes(event.key)) return;
      const key = listKeyOf(event, { page: options.page(), isRtl: options.isRtl });
      if (!key || (key.act === 'clear' && selection === NOTHING)) return;
      event.preventDefault();
      act(key, event.shiftKey);
    },
    onPress: (press: Press | null, event: MouseEvent<HTMLElement>) => {
      if (!press || !isOwn(event)) return;
      setCell({ row: press.row, column: press.column });
      const target = event.target as HTMLElement;
      if (target.closest('a, [aria-haspopup]')) return;
      event.currentTarget.focus({ preventScroll: true });
      if (press.row < 0) return;
      if (event.shiftKey) void extendTo(press.row);
      else if (press.isSelect || event.ctrlKey || event.metaKey) void toggleRow(press.row);
    },
    onDoublePress: (press: Press | null) => {
      const row = press && press.row >= 0 && !press.isSelect ? window.rowAt(press.row) : undefined;
      if (row) options.onOpen(String(row['name']));
    },
  };
}

// What happens in a menu that a head opened comes by here, too: by React's tree, though not by the page's.
function isOwn(event: { readonly currentTarget: Element; readonly target: EventTarget }): boolean {
  return event.target instanceof Node && event.currentTarget.contains(event.target);
}
