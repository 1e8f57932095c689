/** How fast a webhook may be delivered to. */
export interface Rate {
  /** Attempts per minute, in the long run. */
  readonly perMinute: number;
  /** Attempts at once after a rest. */
  readonly burst: number;
}

/** Lets so many through in a minute, and after a rest so many at once. Times in milliseconds of any steady clock. */
export class TokenBucket {
  #rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  get rate(): Rate {
    return this.#rate;
  }

  /** Another rate from now on; what was used stays used. */
  change(rate: Rate, now: number): void {
    this.#fill(now);
    this.#rate = rate;
    this.#tokens = Math.min(this.#tokens, rate.burst);
  }

  /** Milliseconds until one may pass; 0 when one may now. */
  wait(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 60_000) / this.#rate.perMinute);
  }

  take(now: number): void {
    this.#fill(now);
    this.#tokens -= 1;
  }

  /** Gives back what was taken and not used. */
  giveBack(): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }

  /** Nothing is remembered that a new one would not say. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.#rate.burst;
  }

  #fill(now: number): void {
    const gained = (Math.max(0, now - this.#at) * this.#rate.perMinute) / 60_000;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#at = now;
  }
}
