/** The longest wait. Longer ones are left to the database, which finds deadlocks. Milliseconds. */
const PATIENCE = 1_000;

/**
 * Lets transactions of this process go one after another where they would otherwise wait for each other's row
 * lock. The lock still decides; but ten connections that wait for it cost PostgreSQL more than their work.
 */
export class Lanes {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for the callers before. Resolves to the function that lets the next one go. */
  async enter(name: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last.get(name);
    this.#last.set(name, promise);
    if (before) await impatiently(before);
    return () => {
      resolve();
      if (this.#last.get(name) === promise) this.#last.delete(name);
    };
  }
}

function impatiently(before: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    void before.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
