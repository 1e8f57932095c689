import { ErrorMap, type FieldError } from './doc-errors.ts';
import { History } from './doc-history.ts';
import { Listeners } from './doc-listeners.ts';
import { parsePath } from './doc-path.ts';
import { isRows, isSameValue, isUnset, isWritten, type Row, sentValue, type Values } from './doc-values.ts';
import { type CellChange, isSameRows, KeyedRows, NO_ROWS, withCells, withMoved } from './keyed-rows.ts';

export interface DocStoreOptions {
  /** Fieldnames of the tables. */
  readonly tables: readonly string[];
  /** The clock. Tests replace it. */
  readonly now?: () => number;
}

/**
 * A document during editing. It lives outside React: each control listens to its own path, so a key press
 * renders one control instead of the form. All changes can be undone. A save sends the difference from the
 * stored document.
 *
 * Paths are `subject`, `items[3]` and `items[3].qty`, with rows counted from 0. Listeners are notified of
 * - `subject`: its value; `items`: added, removed or moved rows
 * - `items[3].qty`, `items[3]`: the cell, any cell of the row; after rows moved, the new content of this
 *   position
 * - `items.qty`: any cell of the column, and added or removed rows
 * - `` (the empty path): any change
 */
export class DocStore {
  readonly #tables: ReadonlySet<string>;
  readonly #listeners = new Listeners();
  readonly #history: History;
  readonly #errors = new ErrorMap();
  readonly #keyed = new KeyedRows();
  readonly #dirty = new Set<string>();
  #base: Record<string, unknown> = {};
  #values: Record<string, unknown> = {};
  #plain: Values | null = null;
  #step: Map<string, unknown> | null = null;

  constructor(doc: Values, { tables, now = Date.now }: DocStoreOptions) {
    this.#tables = new Set(tables);
    this.#history = new History(now);
    this.#base = this.#keyed.document(doc, this.#tables);
    this.#values = { ...this.#base };
  }

  /** The value at a path: an array of rows for a table, an object for a row, undefined if there is none. */
  get(path: string): unknown {
    const { field, row, cell } = parsePath(path);
    if (row === undefined) return this.#values[field];
    const values = this.rows(field)[row]?.values;
    return cell === undefined ? values : values?.[cell];
  }

  /** The rows of a table. The array stays the same object until a row changes. */
  rows(table: string): readonly Row[] {
    const value = this.#values[table];
    return isRows(value) ? value : NO_ROWS;
  }

  /** All values for expressions, with plain rows. The object stays the same until a value changes. */
  document(): Values {
    if (this.#plain) return this.#plain;
    const doc = { ...this.#values };
    for (const table of this.#tables) doc[table] = this.rows(table).map((row) => row.values);
    this.#plain = doc;
    return doc;
  }

  /** Sets a field or a cell. Continuous typing is one undo step. */
  set(path: string, value: unknown): void {
    const { field, row, cell } = parsePath(path);
    if (row !== undefined && cell !== undefined) this.setCells(field, [{ row, field: cell, value }], path);
    else if (row === undefined && !this.#tables.has(field)) this.#change(field, value, path);
    else throw new Error(`rows are changed by their own methods: ${path}`);
  }

  /** Sets several fields as one step. Tables take arrays of plain rows. */
  assign(values: Values): void {
    this.batch(() => {
      for (const [field, value] of Object.entries(values)) {
        if (this.#tables.has(field)) this.replaceRows(field, (value ?? []) as readonly Values[]);
        else this.set(field, value);
      }
    });
  }

  /** Sets cells of a table as one step. Ignores cells beyond the last row. */
  setCells(table: string, changes: readonly CellChange[], typed?: string): void {
    this.#change(table, withCells(this.rows(table), changes), typed);
  }

  /** Adds a row at `at`, or at the end. Returns its number. */
  addRow(table: string, values: Values = {}, at: number = this.rows(table).length): number {
    this.insertRows(table, [values], at);
    return at;
  }

  /** Adds rows as one step. */
  insertRows(table: string, values: readonly Values[], at: number = this.rows(table).length): void {
    const fresh = values.map((one) => this.#keyed.row(one));
    this.#change(table, this.rows(table).toSpliced(at, 0, ...fresh));
  }

  removeRow(table: string, at: number): void {
    this.removeRows(table, [at]);
  }

  /** Removes rows as one step. */
  removeRows(table: string, at: Iterable<number>): void {
    const gone = new Set(at);
    this.#change(
      table,
      this.rows(table).filter((_, index) => !gone.has(index)),
    );
  }

  /** Removes new rows that are still empty. They exist only on the screen, not in the document. */
  dropUnwritten(): void {
    this.batch(() => {
      for (const table of this.#tables) this.#change(table, this.rows(table).filter(isWritten));
    });
  }

  /** Moves a row to the position `to`. */
  moveRow(table: string, from: number, to: number): void {
    this.#change(table, withMoved(this.rows(table), from, to));
  }

  /** Inserts a copy of a row below it. Returns its number, or -1 if the row does not exist. */
  duplicateRow(table: string, at: number): number {
    const row = this.rows(table)[at];
    if (!row) return -1;
    const { name: _name, ...values } = row.values;
    return this.addRow(table, values, at + 1);
  }

  /** Replaces the rows of a table as one step. A row with a stored row's name stays that row. */
  replaceRows(table: string, values: readonly Values[]): void {
    this.#change(table, this.#keyed.rows(values, this.rows(table)));
  }

  /** Makes all changes of `run` one undo step and notifies listeners at its end. */
  batch<T>(run: () => T): T {
    if (this.#step) return run();
    const step = new Map<string, unknown>();
    this.#step = step;
    try {
      return run();
    } finally {
      this.#step = null;
      for (const [field, before] of step) if (Object.is(before, this.#values[field])) step.delete(field);
      if (step.size > 0) this.#settle(step);
    }
  }

  /** Undoes the last step. Returns its field. */
  undo(): string | null {
    return this.#travel(this.#history.undo());
  }

  /** Redoes the last undone step. Returns its field. */
  redo(): string | null {
    return this.#travel(this.#history.redo());
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  /** True if the document has unsaved changes. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** The fields with unsaved changes. */
  dirtyFields(): readonly string[] {
    return [...this.#dirty];
  }

  /** The stored value of a field. */
  stored(field: string): unknown {
    return this.#base[field];
  }

  /** The changes to send: changed fields, and changed tables as a whole. */
  diff(): Record<string, unknown> {
    return Object.fromEntries(this.dirtyFields().map((field) => [field, sentValue(this.#values[field])]));
  }

  /** All set values, for sending a new document. */
  whole(): Record<string, unknown> {
    const filled = Object.entries(this.#values).filter(
      ([, value]) => !isUnset(value) && !(isRows(value) && value.length === 0),
    );
    return Object.fromEntries(filled.map(([field, value]) => [field, sentValue(value)]));
  }

  /** The current values. `rebase` compares them later to what was sent. */
  snapshot(): Values {
    return { ...this.#values };
  }

  /**
   * Replaces the stored document. Changes since the snapshot `sent` stay as unsaved changes; without `sent`,
   * none stay. Fields in `kept` always keep the user's value.
   */
  rebase(
    doc: Values,
    { sent, kept = [] }: { readonly sent?: Values; readonly kept?: readonly string[] } = {},
  ): void {
    const before = this.#values;
    const base = this.#keyed.document(doc, this.#tables, before);
    const stays = new Set(kept);
    const fields = new Set([...Object.keys(before), ...Object.keys(base)]);
    for (const field of fields) if (sent && !Object.is(before[field], sent[field])) stays.add(field);
    this.#base = base;
    this.#values = { ...base };
    this.#plain = null;
    for (const field of stays) this.#values[field] = before[field];
    this.#history.clear();
    this.#dirty.clear();
    for (const field of stays) this.#mark(field);
    this.#errors.clear();
    for (const field of fields) this.#listeners.note(field, before[field], this.#values[field]);
    this.#listeners.noteErrors();
    this.#listeners.tell();
  }

  /** Adds a listener for a path. Returns a function that removes it. */
  subscribe(path: string, listener: () => void): () => void {
    return this.#listeners.add(path, listener);
  }

  /** Adds a listener for errors of any path. Returns a function that removes it. */
  subscribeErrors(listener: () => void): () => void {
    return this.#listeners.addForErrors(listener);
  }

  /** The error at a path: `items` for the table, `items[3].qty` for a cell. */
  errorAt(path: string): string | null {
    return this.#errors.at(this.#placeOf(path));
  }

  /** All errors, with current row numbers. The array stays the same object until errors or rows change. */
  errors(): readonly FieldError[] {
    return this.#errors.list((table) => this.rows(table));
  }

  /** Sets the error of one path. It goes when the value changes. */
  setError(path: string, message: string): void {
    const place = this.#placeOf(path);
    this.#errors.answer(place);
    this.#errors.set(place, message);
    this.#listeners.noteErrors();
    this.#listeners.tell();
  }

  /** Replaces all errors. */
  setErrors(errors: readonly FieldError[]): void {
    this.#errors.clear();
    for (const { path, message } of errors) this.#errors.set(this.#placeOf(path), message);
    this.#listeners.noteErrors();
    this.#listeners.tell();
  }

  #change(field: string, value: unknown, typed?: string): void {
    const before = this.#values[field];
    if (Object.is(before, value) || (isRows(before) && isRows(value) && isSameRows(before, value))) return;
    this.#values[field] = value;
    this.#plain = null;
    if (this.#step) {
      if (!this.#step.has(field)) this.#step.set(field, before);
    } else this.#settle(new Map([[field, before]]), typed);
  }

  // `step` holds the fields' previous values.
  #settle(step: ReadonlyMap<string, unknown>, typed?: string): void {
    this.#history.add(
      [...step].map(([field, before]) => ({ field, before, after: this.#values[field] })),
      typed,
    );
    for (const [field, before] of step) this.#moved(field, before);
    this.#listeners.tell();
  }

  #travel(changes: ReturnType<History['undo']>): string | null {
    if (!changes) return null;
    for (const { field, after } of changes) {
      const before = this.#values[field];
      this.#values[field] = after;
      this.#plain = null;
      this.#moved(field, before);
    }
    this.#listeners.tell();
    return changes[0]?.field ?? null;
  }

  // Updates the dirty fields, errors and listeners after a field changed.
  #moved(field: string, before: unknown): void {
    const after = this.#values[field];
    this.#mark(field);
    const wasWrong =
      isRows(before) && isRows(after)
        ? this.#errors.answerRows(field, before, after)
        : this.#errors.answer(field);
    if (wasWrong) this.#listeners.noteErrors();
    this.#listeners.note(field, before, after);
  }

  #mark(field: string): void {
    if (isSameValue(this.#base[field], this.#values[field])) this.#dirty.delete(field);
    else this.#dirty.add(field);
  }

  #placeOf(path: string): string {
    const { field, row, cell } = parsePath(path);
    if (row === undefined) return field;
    const key = this.rows(field)[row]?.key;
    return key === undefined ? field : `${field}#${key}${cell === undefined ? '' : `.${cell}`}`;
  }
}
