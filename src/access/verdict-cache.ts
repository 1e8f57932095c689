import { Recent } from '../kernel/recent.ts';

/** The cache holds at most twice as many verdicts. */
const CAPACITY = 5_000;

interface Entry<T> {
  readonly value: T;
  readonly checkedAt: number;
}

/**
 * Caches the user of a credential for a short time. It keeps only successes, so invalid credentials cannot
 * evict valid ones. Concurrent requests with the same credential share one verification.
 */
export class VerdictCache<T> {
  readonly #trusted: number;
  readonly #now: () => number;
  #entries = new Recent<Entry<T>>(CAPACITY);
  #pending = new Map<string, Promise<T | null>>();

  /** `trusted` and `now` in microseconds. */
  constructor(trusted: number, now: () => number) {
    this.#trusted = trusted;
    this.#now = now;
  }

  /** Returns the cached verdict while it is trusted, otherwise null. */
  cached(key: string): T | null {
    const entry = this.#entries.get(key);
    return entry && this.#now() - entry.checkedAt < this.#trusted ? entry.value : null;
  }

  /**
   * Returns the cached verdict while it is trusted, otherwise the result of `verify`. `verify` receives the
   * last verdict and returns it if nothing changed.
   */
  get(key: string, verify: (last: T | null) => Promise<T | null>): Promise<T | null> {
    const cached = this.cached(key);
    if (cached !== null) return Promise.resolve(cached);
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const verdict = this.#verify(key, this.#now(), verify(this.#entries.get(key)?.value ?? null));
    this.#pending.set(key, verdict);
    return verdict;
  }

  async #verify(key: string, startedAt: number, verification: Promise<T | null>): Promise<T | null> {
    // `forget` replaces the maps, so an earlier verification in flight leaves nothing behind.
    const entries = this.#entries;
    const pending = this.#pending;
    try {
      const value = await verification;
      entries.delete(key);
      if (value !== null) {
        // The lifetime counts from before the query, so changes during the query are noticed in time.
        entries.set(key, { value, checkedAt: startedAt });
      }
      return value;
    } finally {
      pending.delete(key);
    }
  }

  /** Drops every verdict. */
  forget(): void {
    this.#entries = new Recent(CAPACITY);
    this.#pending = new Map();
  }
}
