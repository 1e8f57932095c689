/** An answer is cached for this many milliseconds, and at least for this multiple of the time it took. */
const FRESH = 5_000;
const SHARE = 20;

/** A cached answer for frequent callers. Concurrent callers share one computation. */
export class Remembered<T> {
  readonly #ask: () => Promise<T>;
  #asking: Promise<T> | null = null;
  #until = 0;
  last: T | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  get(): Promise<T> {
    if (this.last !== undefined && performance.now() < this.#until) return Promise.resolve(this.last);
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #fetch(): Promise<T> {
    const began = performance.now();
    const found = await this.#ask();
    const ended = performance.now();
    this.last = found;
    this.#until = ended + Math.max(FRESH, (ended - began) * SHARE);
    return found;
  }
}
