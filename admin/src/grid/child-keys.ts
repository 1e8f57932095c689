import type { KeyboardEvent } from 'react';
import { isRightToLeft, language } from '../base/i18n.ts';
import type { Row } from '../form/doc-values.ts';
import type { ChildActions } from './child-actions.ts';
import { type Cursor, chooseRows, extendTo, goTo, toggleRow } from './child-cursor.ts';

interface Keyboard {
  readonly cursor: Cursor;
  readonly actions: ChildActions;
  readonly columns: number;
  readonly rows: () => readonly Row[];
  readonly page: number;
  readonly isReadOnly: boolean;
  /**
   * Edits the active cell; with `isFresh`, typing replaces its value. Returns false if the cell is read-only.
   */
  edit(isFresh: boolean): boolean;
  /** Toggles the active cell if it is a check box. */
  toggleCheck(): boolean;
  openRow(): void;
}

/** Spreadsheet keys while no cell is edited. Returns whether the key was handled. */
export function pressInGrid(event: KeyboardEvent, keyboard: Keyboard): boolean {
  const { cursor, actions, columns, rows, page, isReadOnly } = keyboard;
  const { row, column } = cursor.get();
  const last = rows().length - 1;
  const isMod = event.ctrlKey || event.metaKey;
  const to = (nextRow: number, nextColumn: number) => {
    const target = clamp(nextRow, last);
    if (event.shiftKey && nextRow !== row) extendTo(cursor, target, (at) => rows()[at]?.key);
    else goTo(cursor, target, clamp(nextColumn, columns - 1));
    return true;
  };
  const done = (run: () => void) => {
    if (!isReadOnly) run();
    return !isReadOnly;
  };
  const forward = isRightToLeft(language()) ? 'ArrowLeft' : 'ArrowRight';
  const back = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';

  if (event.altKey) {
    if (isMod || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return false;
    return done(() => actions.move(event.key === 'ArrowUp' ? -1 : 1));
  }
  if (isMod)
    switch (event.key) {
      case 'Home':
        return to(0, 0);
      case 'End':
        return to(last, columns - 1);
      case 'ArrowUp':
        return to(0, column);
      case 'ArrowDown':
        return to(last, column);
      case 'Delete':
      case 'Backspace':
        return done(() => actions.remove());
      case 'a':
        chooseRows(
          cursor,
          rows().map(({ key }) => key),
        );
        return true;
      case 'd':
        return done(() => actions.fillDown());
      default:
        return false;
    }
  switch (event.key) {
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowDown':
      return to(row + 1, column);
    case forward:
      return to(row, column + 1);
    case back:
      return to(row, column - 1);
    case 'PageUp':
      return to(row - page, column);
    case 'PageDown':
      return to(row + page, column);
    case 'Home':
      return to(row, 0);
    case 'End':
      return to(row, columns - 1);
    case 'Enter':
      if (event.shiftKey) keyboard.openRow();
      else if (last < 0) return done(() => actions.addRow());
      else if (!keyboard.edit(false)) keyboard.openRow();
      return true;
    case 'F2':
      return keyboard.edit(false);
    case 'Delete':
    case 'Backspace':
      return done(() => actions.clear());
    case ' ': {
      const key = rows()[row]?.key;
      if (event.shiftKey || !keyboard.toggleCheck()) if (key !== undefined) toggleRow(cursor, row, key);
      return true;
    }
    case 'Escape':
      if (cursor.get().chosen.size === 0) return false;
      goTo(cursor, row, column);
      return true;
    default:
      // The key press continues into the control, which has the focus now.
      if (event.key.length !== 1 || (last < 0 && isReadOnly)) return false;
      // Typing into an empty table begins its first row.
      if (last < 0) actions.addRow();
      keyboard.edit(true);
      return false;
  }
}

interface Place {
  readonly row: number;
  readonly column: number;
}

/** The cells of a table, for moves that skip some. */
export interface CellMap {
  readonly columns: number;
  readonly rows: number;
  /** False for a read-only cell. A row beyond the last one is a new row. */
  readonly isOpen: (row: number, column: number) => boolean;
  readonly isEmpty: (row: number, column: number) => boolean;
}

/**
 * Cursor move after editing: down for Enter; along the row for Tab, past read-only cells. At the end of a row
 * Tab goes on at the first empty cell of the next row.
 */
export function afterEdit(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  { row, column }: Place,
  cells: CellMap,
): Place {
  if (event.key === 'Enter') return { row: event.shiftKey ? row - 1 : row + 1, column };
  const all = Array.from({ length: cells.columns }, (_, at) => at);
  const openIn = (at: number) => all.filter((one) => cells.isOpen(at, one));
  if (event.shiftKey) {
    const before = openIn(row).findLast((one) => one < column);
    if (before !== undefined || row === 0) return { row, column: before ?? column };
    return { row: row - 1, column: openIn(row - 1).at(-1) ?? column };
  }
  const after = openIn(row).find((one) => one > column);
  if (after !== undefined) return { row, column: after };
  const next = openIn(row + 1);
  const empty = row + 1 < cells.rows ? next.find((one) => cells.isEmpty(row + 1, one)) : next[0];
  return { row: row + 1, column: empty ?? next[0] ?? 0 };
}

function clamp(at: number, last: number): number {
  return Math.max(0, Math.min(at, last));
}
