import { createStore, type Store } from '../base/store.ts';

/** The active cell and the selected rows of a table's grid. */
export interface CursorState {
  readonly row: number;
  readonly column: number;
  readonly isEditing: boolean;
  /** Keys of the selected rows. They stay selected when they move. */
  readonly chosen: ReadonlySet<string>;
  /** The first row of a selected range. */
  readonly anchor: number;
}

export type Cursor = Store<CursorState>;

const NOTHING: ReadonlySet<string> = new Set();

/** A cursor at the first cell. It lives outside React: a move renders two rows. */
export function createCursor(): Cursor {
  return createStore<CursorState>({ row: 0, column: 0, isEditing: false, chosen: NOTHING, anchor: 0 });
}

/** Moves to a cell, ends editing and clears the selection. */
export function goTo(cursor: Cursor, row: number, column: number): void {
  cursor.set({ row, column, isEditing: false, chosen: NOTHING, anchor: row });
}

/** Selects the rows from the anchor to this one. */
export function extendTo(cursor: Cursor, row: number, keyAt: (row: number) => string | undefined): void {
  const state = cursor.get();
  const [first, last] = [Math.min(state.anchor, row), Math.max(state.anchor, row)];
  const keys = Array.from({ length: last - first + 1 }, (_, at) => keyAt(first + at)).filter(
    (key) => key !== undefined,
  );
  cursor.set({ ...state, row, isEditing: false, chosen: new Set(keys) });
}

/** Selects or deselects a row. */
export function toggleRow(cursor: Cursor, row: number, key: string): void {
  const state = cursor.get();
  const chosen = new Set(state.chosen);
  if (!chosen.delete(key)) chosen.add(key);
  cursor.set({ ...state, row, isEditing: false, chosen, anchor: row });
}

/** Selects exactly these rows. */
export function chooseRows(cursor: Cursor, keys: Iterable<string>): void {
  cursor.set({ ...cursor.get(), isEditing: false, chosen: new Set(keys) });
}

/** Starts or ends editing of the active cell. */
export function setEditing(cursor: Cursor, isEditing: boolean): void {
  cursor.set({ ...cursor.get(), isEditing });
}

/** The rows that an action affects, in order: the selected rows, or else the active one. */
export function rowsOfAction({ row, chosen }: CursorState, keys: readonly string[]): readonly number[] {
  if (chosen.size === 0) return row < keys.length ? [row] : [];
  return keys.flatMap((key, at) => (chosen.has(key) ? [at] : []));
}
