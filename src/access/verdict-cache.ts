/** Remembered verdicts; the least recently verified goes first. */
const CAPACITY = 10_000;

interface Entry<T> {
  readonly value: T;
  readonly checkedAt: number;
}

/**
 * Remembers who a credential belongs to for a short time. Only successes are kept, so junk cannot push out what
 * is in use; requests that arrive while a credential is being verified share that one verification.
 */
export class VerdictCache<T> {
  readonly #trusted: number;
  readonly #now: () => number;
  #entries = new Map<string, Entry<T>>();
  #pending = new Map<string, Promise<T | null>>();

  /** `trusted` and `now` in microseconds. */
  constructor(trusted: number, now: () => number) {
    this.#trusted = trusted;
    this.#now = now;
  }

  /** The verdict while it is trusted, else what `verify` says; it gets the last verdict, to return it if unchanged. */
  get(key: string, verify: (last: T | null) => Promise<T | null>): Promise<T | null> {
    const now = this.#now();
    const entry = this.#entries.get(key);
    if (entry && now - entry.checkedAt < this.#trusted) return Promise.resolve(entry.value);
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const verdict = this.#verify(key, now, verify(entry?.value ?? null));
    this.#pending.set(key, verdict);
    return verdict;
  }

  async #verify(key: string, startedAt: number, verification: Promise<T | null>): Promise<T | null> {
    // `forget` replaces the maps: a verification that began before it leaves nothing behind.
    const entries = this.#entries;
    const pending = this.#pending;
    try {
      const value = await verification;
      entries.delete(key);
      if (value !== null) {
        // Trust counts from before the query: what changes while it runs is seen in time.
        entries.set(key, { value, checkedAt: startedAt });
        if (entries.size > CAPACITY) dropOldest(entries);
      }
      return value;
    } finally {
      pending.delete(key);
    }
  }

  /** Drops every verdict at once. */
  forget(): void {
    this.#entries = new Map();
    this.#pending = new Map();
  }
}

function dropOldest<T>(entries: Map<string, Entry<T>>): void {
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}
