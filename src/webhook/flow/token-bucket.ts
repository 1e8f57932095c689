/** How fast a webhook may be delivered to. */
export interface Rate {
  /** Attempts per minute, in the long run. */
  readonly perMinute: number;
  /** Attempts at once after a rest. */
  readonly burst: number;
}

/** What one attempt costs: what a rate of one in a minute brings in its milliseconds. */
const ATTEMPT = 60_000;

/** Lets so many through in a minute, and after a rest so many at once. Times in milliseconds of any steady clock. */
export class TokenBucket {
  #rate: Rate;
  /** In parts of an attempt, `ATTEMPT` to each: whole numbers add up exactly, so a wait is over when it was said to be. */
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

  /** Another rate from now on; what was used stays used. */
  change(rate: Rate, now: number): void {
    this.#fill(now);
    this.#rate = rate;
    this.#credit = Math.min(this.#credit, rate.burst * ATTEMPT);
  }

  /** Milliseconds until one may pass; 0 when one may now. */
  wait(now: number): number {
    this.#fill(now);
    return this.#credit >= ATTEMPT ? 0 : Math.ceil((ATTEMPT - this.#credit) / this.#rate.perMinute);
  }

  take(now: number): void {
    this.#fill(now);
    this.#credit -= ATTEMPT;
  }

  /** Gives back what was taken and not used. */
  giveBack(): void {
    this.#credit = Math.min(this.#rate.burst * ATTEMPT, this.#credit + ATTEMPT);
  }

  /** Nothing is remembered that a new one would not say. */
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
