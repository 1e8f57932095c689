/** Lets requests run side by side, and now and then one alone. */
export class Lanes {
  #running = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: (() => void) | null = null;

  /** Does it beside others, but not beside what is done alone. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    for (let turn: Promise<unknown> | null = null; turn !== this.#turn; ) {
      turn = this.#turn;
      await turn;
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    }
  }

  /** Waits for all that runs, then does it while nothing else begins. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const done = (async () => {
      await before;
      if (this.#running > 0) {
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
      }
      this.#idle = null;
      return work();
    })();
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
