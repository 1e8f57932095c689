import { unavailable } from '../driver-errors.ts';

interface Waiting<T> {
  readonly go: (thing: T) => void;
  readonly late: NodeJS.Timeout;
}

/** A pool of things, each used by one caller at a time. Callers wait in line, first come, first served. */
export class Turns<T> {
  readonly all: readonly T[];
  readonly #free: T[];
  readonly #most: number;
  readonly #patience: number;
  readonly #waiting = new Set<Waiting<T>>();

  /** At most `most` callers wait, for at most `patience` milliseconds each. */
  constructor(things: readonly T[], most: number, patience: number) {
    this.all = things;
    this.#free = [...things];
    this.#most = most;
    this.#patience = patience;
  }

  /** @throws ServiceError ServiceUnavailableError when too many callers wait, or the wait took too long */
  async take<R>(use: (thing: T) => Promise<R>): Promise<R> {
    const thing = this.#free.pop() ?? (await this.#wait());
    try {
      return await use(thing);
    } finally {
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        clearTimeout(next.late);
        next.go(thing);
      } else this.#free.push(thing);
    }
  }

  #wait(): Promise<T> {
    if (this.#waiting.size >= this.#most) throw unavailable();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(unavailable());
      }, this.#patience);
      const waiting = { go: resolve, late };
      this.#waiting.add(waiting);
    });
  }
}
