import { isRows, type Row } from './doc-values.ts';

type Listener = () => void;

/** Listeners by path of a document. See DocStore for the paths. */
export class Listeners {
  readonly #byPath = new Map<string, Set<Listener>>();
  readonly #ofErrors = new Set<Listener>();
  #pending = new Set<Listener>();

  add(path: string, listener: Listener): () => void {
    const there = this.#byPath.get(path) ?? new Set();
    this.#byPath.set(path, there.add(listener));
    return () => {
      there.delete(listener);
      if (there.size === 0 && this.#byPath.get(path) === there) this.#byPath.delete(path);
    };
  }

  addForErrors(listener: Listener): () => void {
    this.#ofErrors.add(listener);
    return () => this.#ofErrors.delete(listener);
  }

  /** Notes a changed field. The next `tell` notifies its listeners. */
  note(field: string, before: unknown, after: unknown): void {
    if (Object.is(before, after)) return;
    this.#noteAt('');
    if (!isRows(before) && !isRows(after)) this.#noteAt(field);
    else this.#noteRows(field, isRows(before) ? before : [], isRows(after) ? after : []);
  }

  noteErrors(): void {
    for (const listener of this.#ofErrors) this.#pending.add(listener);
  }

  /** Notifies the listeners of all noted fields, each once. */
  tell(): void {
    const pending = this.#pending;
    this.#pending = new Set();
    for (const listener of pending) listener();
  }

  #noteRows(table: string, before: readonly Row[], after: readonly Row[]): void {
    const isMoved = before.length !== after.length || before.some((row, at) => row.key !== after[at]?.key);
    if (isMoved) {
      this.#noteAt(table);
      for (const path of this.#byPath.keys())
        if (path.startsWith(`${table}[`) || path.startsWith(`${table}.`)) this.#noteAt(path);
      return;
    }
    for (const [at, row] of after.entries()) {
      const was = before[at];
      if (!was || was.values === row.values) continue;
      this.#noteAt(`${table}[${at}]`);
      for (const name of new Set([...Object.keys(was.values), ...Object.keys(row.values)])) {
        if (Object.is(was.values[name], row.values[name])) continue;
        this.#noteAt(`${table}[${at}].${name}`);
        this.#noteAt(`${table}.${name}`);
      }
    }
  }

  #noteAt(path: string): void {
    for (const listener of this.#byPath.get(path) ?? []) this.#pending.add(listener);
  }
}
