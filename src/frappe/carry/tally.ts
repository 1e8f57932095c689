import { LIMITS } from '../../kernel/limits.ts';

/** Something that an import changed or left out, counted. */
export interface Change {
  readonly what: string;
  readonly doctype: string;
  readonly field: string | null;
  readonly count: number;
  readonly examples: readonly string[];
}

/** Counts what an import changes on the way, by what it is, doctype and field. */
export class Tally {
  readonly #changes = new Map<
    string,
    { -readonly [K in keyof Change]: Change[K] } & { examples: string[] }
  >();

  add(what: string, doctype: string, field: string | null, name: string): void {
    const key = `${what}\n${doctype}\n${field}`;
    let change = this.#changes.get(key);
    if (!change) {
      change = { what, doctype, field, count: 0, examples: [] };
      this.#changes.set(key, change);
    }
    change.count += 1;
    if (change.examples.length < LIMITS.importExamples) change.examples.push(name);
  }

  list(): Change[] {
    return [...this.#changes.values()];
  }
}
