/** A field's value before and after a step. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Step {
  readonly changes: readonly FieldChange[];
  /** The edited path if the step is typing, otherwise null. */
  readonly typed: string | null;
  readonly at: number;
}

/** Maximum number of undo steps. They share values, so each step is small. */
const MOST = 500;
/** A pause in typing longer than this starts a new step. In milliseconds. */
const PAUSE = 1_000;

/** Undo and redo history of a document. */
export class History {
  readonly #now: () => number;
  #done: Step[] = [];
  #undone: Step[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Adds a step. Continued typing in the same field extends the last step. */
  add(changes: readonly FieldChange[], typed: string | null = null): void {
    const at = this.#now();
    const last = this.#done.at(-1);
    this.#undone = [];
    if (last && typed !== null && last.typed === typed && at - last.at < PAUSE) {
      const joined = changes.map((one, index) => ({ ...one, before: last.changes[index]?.before }));
      this.#done[this.#done.length - 1] = { changes: joined, typed, at };
      return;
    }
    this.#done.push({ changes, typed, at });
    if (this.#done.length > MOST) this.#done.shift();
  }

  /** The changes that undo the last step, as `after`; null if there is none. */
  undo(): readonly FieldChange[] | null {
    const step = this.#done.pop();
    if (!step) return null;
    this.#undone.push(step);
    return step.changes.map(({ field, before, after }) => ({ field, before: after, after: before }));
  }

  /** The changes that redo the last undone step. */
  redo(): readonly FieldChange[] | null {
    const step = this.#undone.pop();
    if (!step) return null;
    // Later typing must not extend this step.
    this.#done.push({ ...step, typed: null });
    return step.changes;
  }

  clear(): void {
    this.#done = [];
    this.#undone = [];
  }
}
