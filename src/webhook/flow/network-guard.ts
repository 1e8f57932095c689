/** The number of origins that must become unreachable within `WINDOW`, while nobody answers. */
const ORIGINS = 5;
const WINDOW = 30_000;
/**
 * Milliseconds between two probes, and the time after which failures count again: a longer outage is the
 * operator's concern.
 */
const PROBE = 5_000;
const LONGEST = 15 * 60_000;
const REMEMBERED = 10_000;

/**
 * Detects failures of this machine's network, resolver or supply of sockets: several origins become
 * unreachable at once and nobody answers. Then only a probe is sent now and then, and failures do not count.
 * Times in milliseconds of any monotonic clock.
 */
export class NetworkGuard {
  /** When each origin became unreachable, since the last answer from any. */
  readonly #silent = new Map<string, number>();
  /** Origins that were unreachable before: they tell nothing about this machine. */
  readonly #dead = new Set<string>();
  #trippedAt: number | null = null;
  #until = 0;
  #probing = false;

  get isTripped(): boolean {
    return this.#trippedAt !== null;
  }

  /** Milliseconds between two probes. */
  get pause(): number {
    return PROBE;
  }

  /** Milliseconds until an attempt may begin; infinite while the probe is in flight. */
  wait(now: number): number {
    if (this.#trippedAt === null) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#until - now);
  }

  /** Records the start of an attempt. True when it is the probe; report that to `ended`. */
  began(): boolean {
    if (this.#trippedAt === null) return false;
    this.#probing = true;
    return true;
  }

  /**
   * Records the result of an attempt. True when this machine caused the failure, which then does not count.
   */
  ended(
    now: number,
    origin: string,
    verdict: 'answered' | 'unreached' | 'own' | 'none',
    isProbe: boolean,
  ): boolean {
    if (isProbe) this.#probing = false;
    if (verdict === 'none') {
      if (isProbe) this.#until = now;
      return false;
    }
    if (verdict === 'answered') {
      this.#bury();
      this.#dead.delete(origin);
      this.#trippedAt = null;
      return false;
    }
    if (verdict === 'own') this.#trip(now);
    else this.#fellSilent(now, origin);
    return this.#trippedAt !== null;
  }

  #fellSilent(now: number, origin: string): void {
    if (this.#trippedAt !== null) {
      this.#until = Math.max(this.#until, now + PROBE);
      if (now - this.#trippedAt < LONGEST) return;
      this.#trippedAt = null;
      this.#bury();
    }
    if (this.#dead.has(origin)) return;
    if (this.#dead.size > REMEMBERED) this.#dead.clear();
    if (!this.#silent.has(origin)) this.#silent.set(origin, now);
    for (const [each, since] of this.#silent) {
      if (now - since <= WINDOW) break;
      this.#silent.delete(each);
      this.#dead.add(each);
    }
    if (this.#silent.size >= ORIGINS) this.#trip(now);
  }

  // An origin that was unreachable while others answered has failed by itself.
  #bury(): void {
    for (const each of this.#silent.keys()) this.#dead.add(each);
    this.#silent.clear();
  }

  #trip(now: number): void {
    this.#trippedAt ??= now;
    this.#until = Math.max(this.#until, now + PROBE);
  }
}
