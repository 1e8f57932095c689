import { createStore, type Store } from '../base/store.ts';

/** Where somebody is in a table's grid. */
export interface CursorState {
  readonly row: number;
  readonly column: number;
  readonly isEditing: boolean;
  /** Rows chosen, by their key: they stay chosen wherever they move. */
  readonly chosen: ReadonlySet<string>;
  /** Where a range of rows began. */
  readonly anchor: number;
}

export type Cursor = Store<CursorState>;

const NOTHING: ReadonlySet<string> = new Set();

/** A cursor at the first cell. Kept outside of React: a move renders two rows. */
export function createCursor(): Cursor {
  return createStore<CursorState>({ row: 0, column: 0, isEditing: false, chosen: NOTHING, anchor: 0 });
}

/** Goes to a cell and ends editing; what is chosen is chosen no more. */
export function goTo(cursor: Cursor, row: number, column: number): void {
  cursor.set({ row, column, isEditing: false, chosen: NOTHING, anchor: row });
}

/** Chooses the rows between the anchor and this one. */
export function extendTo(cursor: Cursor, row: number, keyAt: (row: number) => string | undefined): void {
  const state = cursor.get();
  const [first, last] = [Math.min(state.anchor, row), Math.max(state.anchor, row)];
  const keys = Array.from({ length: last - first + 1 }, (_, at) => keyAt(first + at)).filter(
    (key) => key !== undefined,
  );
  cursor.set({ ...state, row, isEditing: false, chosen: new Set(keys) });
}

/** Chooses a row, or no more. */
export function toggleRow(cursor: Cursor, row: number, key: string): void {
  const state = cursor.get();
  const chosen = new Set(state.chosen);
  if (!chosen.delete(key)) chosen.add(key);
  cursor.set({ ...state, row, isEditing: false, chosen, anchor: row });
}

/** Chooses these rows and no others. */
export function chooseRows(cursor: Cursor, keys: Iterable<string>): void {
  cursor.set({ ...cursor.get(), isEditing: false, chosen: new Set(keys) });
}

/** Begins or ends to edit the active cell. */
export function setEditing(cursor: Cursor, isEditing: boolean): void {
  cursor.set({ ...cursor.get(), isEditing });
}

/** The rows that an action is about: those chosen, or the active one; in order. */
export function rowsOfAction({ row, chosen }: CursorState, keys: readonly string[]): readonly number[] {
  if (chosen.size === 0) return row < keys.length ? [row] : [];
  return keys.flatMap((key, at) => (chosen.has(key) ? [at] : []));
}
