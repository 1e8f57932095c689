/** What waits for a turn, and may take over something from the one before. */
export interface Follower<T> {
  readonly isReady: boolean;
  /** Called while it is ready. */
  takeOver(passed: T): void;
}

/** The longest wait by default. Longer ones are left to the database, which finds deadlocks. Milliseconds. */
const PATIENCE = 1_000;

interface Waiter<T> {
  readonly follower: Follower<T>;
  readonly go: () => void;
}

/**
 * Lets transactions of this process go one after another where they would otherwise wait for each other's row
 * lock. The lock still decides; but ten connections that wait for it cost PostgreSQL more than their work.
 */
export class Lanes<T> {
  /** Who waits behind the one that has the turn. */
  readonly #lines = new Map<string, Waiter<T>[]>();
  readonly #patience: number;

  /** `patience`: the longest wait, milliseconds. */
  constructor(patience = PATIENCE) {
    this.#patience = patience;
  }

  /**
   * Waits for the callers before. Resolves to the function that ends the turn; null when the turn did not come
   * in time.
   */
  async enter(name: string, follower: Follower<T>): Promise<(() => void) | null> {
    const line = this.#lines.get(name);
    if (!line) this.#lines.set(name, []);
    else if (!(await waitIn(line, follower, this.#patience))) return null;
    return () => this.#leave(name);
  }

  /** How many wait for the turn one behind the other and can take over something. */
  ready(name: string): number {
    const line = this.#lines.get(name) ?? [];
    const other = line.findIndex(({ follower }) => !follower.isReady);
    return other < 0 ? line.length : other;
  }

  /** Ends a turn and gives the next caller something with its own; false when it cannot take it. */
  pass(name: string, passed: T): boolean {
    const line = this.#lines.get(name);
    const next = line?.[0];
    if (!line || !next?.follower.isReady) return false;
    next.follower.takeOver(passed);
    line.shift();
    next.go();
    return true;
  }

  #leave(name: string): void {
    const next = this.#lines.get(name)?.shift();
    if (next) next.go();
    else this.#lines.delete(name);
  }
}

/** Resolves to false when the caller's turn did not come in time. */
function waitIn<T>(line: Waiter<T>[], follower: Follower<T>, patience: number): Promise<boolean> {
  return new Promise((resolve) => {
    const waiter = { follower, go: () => end(true) };
    const timer = setTimeout(() => {
      line.splice(line.indexOf(waiter), 1);
      end(false);
    }, patience);
    const end = (came: boolean) => {
      clearTimeout(timer);
      resolve(came);
    };
    line.push(waiter);
  });
}
