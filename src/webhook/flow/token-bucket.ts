/** The rate limit of a webhook. */
export interface Rate {
  /** Attempts per minute, in the long run. */
  readonly perMinute: number;
  /** Attempts at once after a pause. */
  readonly burst: number;
}

/** The cost of one attempt: a rate of one per minute earns it in these milliseconds. */
const ATTEMPT = 60_000;

/**
 * A token bucket: limits attempts per minute, and allows a burst after a pause. Times in milliseconds of any
 * monotonic clock.
 */
export class TokenBucket {
  #rate: Rate;
  /** In parts of an attempt, `ATTEMPT` each. Whole numbers add up exactly, so a wait ends when announced. */
  #credit: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#credit = rate.burst * ATTEMPT;
    this.#at = now;
  }

  get rate(): Rate {
    return this.#rate;
  }

  /** Changes the rate; used tokens stay used. */
  change(rate: Rate, now: number): void {
    this.#fill(now);
    this.#rate = rate;
    this.#credit = Math.min(this.#credit, rate.burst * ATTEMPT);
  }

  /** Milliseconds until one attempt may pass; 0 when it may now. */
  wait(now: number): number {
    this.#fill(now);
    return this.#credit >= ATTEMPT ? 0 : Math.ceil((ATTEMPT - this.#credit) / this.#rate.perMinute);
  }

  take(now: number): void {
    this.#fill(now);
    this.#credit -= ATTEMPT;
  }

  /** Returns an unused token. */
  giveBack(): void {
    this.#credit = Math.min(this.#rate.burst * ATTEMPT, this.#credit + ATTEMPT);
  }

  /** True when its state equals that of a new one. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#credit >= this.#rate.burst * ATTEMPT;
  }

  #fill(now: number): void {
    const gained = Math.max(0, now - this.#at) * this.#rate.perMinute;
    this.#credit = Math.min(this.#rate.burst * ATTEMPT, this.#credit + gained);
    this.#at = now;
  }
}
