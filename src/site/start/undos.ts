export type Undo = () => void | Promise<void>;

/** The undo steps of a start; they run in reverse order. */
export class Undos {
  readonly #undos: Undo[] = [];

  add(undo: Undo): void {
    this.#undos.push(undo);
  }

  /** A second call has no effect. */
  async run(): Promise<void> {
    for (let undo = this.#undos.pop(); undo; undo = this.#undos.pop()) await undo();
  }
}
