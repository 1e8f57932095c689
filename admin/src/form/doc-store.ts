import { ErrorMap, type FieldError } from './doc-errors.ts';
import { History } from './doc-history.ts';
import { Listeners } from './doc-listeners.ts';
import { parsePath } from './doc-path.ts';
import { isRows, isSameValue, isUnset, isWritten, type Row, sentValue, type Values } from './doc-values.ts';

export interface DocStoreOptions {
  /** Fieldnames of the tables. */
  readonly tables: readonly string[];
  /** The clock; for tests. */
  readonly now?: () => number;
}

/** A cell of a table that gets a value. */
export interface CellChange {
  readonly row: number;
  readonly field: string;
  readonly value: unknown;
}

/**
 * A document while somebody edits it. It lives outside of React: each control listens to its own path, so
 * that a key press renders one control and not the form. All changes can be undone; what differs from the
 * stored document is what is sent.
 *
 * Paths are `subject`, `items[3]` and `items[3].qty`, rows counted from 0. Listeners hear of
 * - `subject`: the value; of `items`: rows came, went or moved
 * - `items[3].qty`, `items[3]`: the cell, any cell of the row; and whatever stands there after rows moved
 * - `items.qty`: any cell of the column, and rows that came or went
 * - `` (the empty path): anything
 */
export class DocStore {
  readonly #tables: ReadonlySet<string>;
  readonly #listeners = new Listeners();
  readonly #history: History;
  readonly #errors = new ErrorMap();
  readonly #dirty = new Set<string>();
  #base: Record<string, unknown> = {};
  #values: Record<string, unknown> = {};
  #plain: Values | null = null;
  #keys = 0;
  #step: Map<string, unknown> | null = null;

  constructor(doc: Values, { tables, now = Date.now }: DocStoreOptions) {
    this.#tables = new Set(tables);
    this.#history = new History(now);
    this.#base = this.#taken(doc);
    this.#values = { ...this.#base };
  }

  /** The value at a path: of a table its rows, of a row its values, undefined where there is none. */
  get(path: string): unknown {
    const { field, row, cell } = parsePath(path);
    if (row === undefined) return this.#values[field];
    const values = this.rows(field)[row]?.values;
    return cell === undefined ? values : values?.[cell];
  }

  /** The rows of a table: the same array until something in it changes. */
  rows(table: string): readonly Row[] {
    const value = this.#values[table];
    return isRows(value) ? value : NO_ROWS;
  }

  /** All values, for expressions: tables as plain rows. The same object until something changes. */
  document(): Values {
    if (this.#plain) return this.#plain;
    const doc = { ...this.#values };
    for (const table of this.#tables) doc[table] = this.rows(table).map((row) => row.values);
    this.#plain = doc;
    return doc;
  }

  /** Sets a field or a cell. What is typed in one go is one step of undo. */
  set(path: string, value: unknown): void {
    const { field, row, cell } = parsePath(path);
    if (row !== undefined && cell !== undefined) this.setCells(field, [{ row, field: cell, value }], path);
    else if (row === undefined && !this.#tables.has(field)) this.#change(field, value, path);
    else throw new Error(`rows are changed by their own methods: ${path}`);
  }

  /** Sets many fields as one step. Tables take arrays of plain rows. */
  assign(values: Values): void {
    this.batch(() => {
      for (const [field, value] of Object.entries(values)) {
        if (this.#tables.has(field)) this.replaceRows(field, (value ?? []) as readonly Values[]);
        else this.set(field, value);
      }
    });
  }

  /** Sets cells of a table as one step. Cells beyond the last row are passed over. */
  setCells(table: string, changes: readonly CellChange[], typed?: string): void {
    const rows = [...this.rows(table)];
    for (const { row, field, value } of changes) {
      const before = rows[row];
      if (before && !Object.is(before.values[field], value))
        rows[row] = { key: before.key, values: { ...before.values, [field]: value } };
    }
    this.#change(table, rows, typed);
  }

  /** Adds a row; at the end unless `at` says where. Answers its number. */
  addRow(table: string, values: Values = {}, at: number = this.rows(table).length): number {
    this.insertRows(table, [values], at);
    return at;
  }

  /** Adds rows as one step. */
  insertRows(table: string, values: readonly Values[], at: number = this.rows(table).length): void {
    const fresh = values.map((one) => this.#row(one));
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

  /**
   * Removes the new rows that nobody wrote into: they are on the screen to be written, and no part of the
   * document.
   */
  dropUnwritten(): void {
    this.batch(() => {
      for (const table of this.#tables) this.#change(table, this.rows(table).filter(isWritten));
    });
  }

  /** Moves a row to where another stands. */
  moveRow(table: string, from: number, to: number): void {
    const rows = [...this.rows(table)];
    const [moved] = rows.splice(from, 1);
    if (!moved || to < 0 || to > rows.length) return;
    rows.splice(to, 0, moved);
    this.#change(table, rows);
  }

  /** Adds a copy of a row below it. Answers its number, or -1 when there is no such row. */
  duplicateRow(table: string, at: number): number {
    const row = this.rows(table)[at];
    if (!row) return -1;
    const { name: _name, ...values } = row.values;
    return this.addRow(table, values, at + 1);
  }

  /** Puts other rows into a table as one step; a row that names a stored one stays that. */
  replaceRows(table: string, values: readonly Values[]): void {
    this.#change(table, this.#rowsOf(values, this.rows(table)));
  }

  /** Makes all changes of `run` one step of undo, told to listeners when it is over. */
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

  /** Takes the last step back. Answers the field it was about. */
  undo(): string | null {
    return this.#travel(this.#history.undo());
  }

  /** Takes the last undo back. */
  redo(): string | null {
    return this.#travel(this.#history.redo());
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  /** Whether the document has unsaved changes. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** The fields that do. */
  dirtyFields(): readonly string[] {
    return [...this.#dirty];
  }

  /** The stored value of a field. */
  stored(field: string): unknown {
    return this.#base[field];
  }

  /** The changes to send: fields that differ, and whole tables. */
  diff(): Record<string, unknown> {
    return Object.fromEntries(this.dirtyFields().map((field) => [field, sentValue(this.#values[field])]));
  }

  /** Everything that is set, as a new document is sent. */
  whole(): Record<string, unknown> {
    const filled = Object.entries(this.#values).filter(
      ([, value]) => !isUnset(value) && !(isRows(value) && value.length === 0),
    );
    return Object.fromEntries(filled.map(([field, value]) => [field, sentValue(value)]));
  }

  /** The values now, to tell `rebase` later what was sent. */
  snapshot(): Values {
    return { ...this.#values };
  }

  /**
   * The document is now stored like this. What was changed since `sent` was taken stays as it is, as a change
   * of the new document; without `sent` nothing does. `kept` are fields of which the own value stays in any
   * case.
   */
  rebase(
    doc: Values,
    { sent, kept = [] }: { readonly sent?: Values; readonly kept?: readonly string[] } = {},
  ): void {
    const before = this.#values;
    const base = this.#taken(doc, before);
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

  /** Listens to a path. Answers what ends it. */
  subscribe(path: string, listener: () => void): () => void {
    return this.#listeners.add(path, listener);
  }

  /** Listens to errors, of any path. */
  subscribeErrors(listener: () => void): () => void {
    return this.#listeners.addForErrors(listener);
  }

  /** The error at a path: of the table for `items`, of the cell for `items[3].qty`. */
  errorAt(path: string): string | null {
    return this.#errors.at(this.#placeOf(path));
  }

  /** All that is wrong, with paths as rows stand now. The same array until errors or rows change. */
  errors(): readonly FieldError[] {
    return this.#errors.list((table) => this.rows(table));
  }

  /** Says what is wrong. What was said before is forgotten. */
  setErrors(errors: readonly FieldError[]): void {
    this.#errors.clear();
    for (const { path, message } of errors) this.#errors.set(this.#placeOf(path), message);
    this.#listeners.noteErrors();
    this.#listeners.tell();
  }

  #change(field: string, value: unknown, typed?: string): void {
    const before = this.#values[field];
    if (Object.is(before, value) || (isRows(before) && isRows(value) && isSameArray(before, value))) return;
    this.#values[field] = value;
    this.#plain = null;
    if (this.#step) {
      if (!this.#step.has(field)) this.#step.set(field, before);
    } else this.#settle(new Map([[field, before]]), typed);
  }

  // `step` holds what the fields were before.
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

  // After a value became another one: what is dirty, whose error is answered, who is to hear of it.
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

  #taken(doc: Values, before: Values = {}): Record<string, unknown> {
    const taken: Record<string, unknown> = { ...doc };
    for (const table of this.#tables) {
      const known = before[table];
      taken[table] = this.#rowsOf(
        (doc[table] ?? []) as readonly Values[],
        isRows(known) ? known : NO_ROWS,
        true,
      );
    }
    return taken;
  }

  // Rows that were there keep their keys, so that the focus stays where it is: by name, and new ones by their
  // place.
  #rowsOf(values: readonly Values[], known: readonly Row[], byPlace = false): readonly Row[] {
    const byName = new Map(known.map((row) => [row.values['name'], row] as const));
    const used = new Set<string>();
    return values.map((one, at) => {
      const name = one['name'];
      const there = known[at];
      const same = isUnset(name) ? undefined : byName.get(name);
      const old = same ?? (byPlace && there && isUnset(there.values['name']) ? there : undefined);
      if (!old || used.has(old.key)) return this.#row(one);
      used.add(old.key);
      return { key: old.key, values: one };
    });
  }

  #row(values: Values): Row {
    this.#keys += 1;
    return { key: String(this.#keys), values };
  }
}

const NO_ROWS: readonly Row[] = [];

function isSameArray(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
