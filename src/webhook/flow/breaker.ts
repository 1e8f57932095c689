/** Waiting times of a breaker; milliseconds. */
export interface BreakerRules {
  /** From opening to the first probe; each failed probe doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
}

/** This many consecutive failures open it. */
const CONSECUTIVE = 5;
/** It also opens when this share of at least so many attempts fails within this time, in milliseconds. */
const SHARE = 0.7;
const AT_LEAST = 20;
const WINDOW = 30_000;
/** This many consecutive successes close it. */
const SUCCESSES = 2;

/**
 * A circuit breaker for an origin that fails repeatedly: while it is open, only a probe is sent now and then.
 * Deliveries wait meanwhile, without using up retries. Times in milliseconds of any monotonic clock.
 */
export class Breaker {
  readonly #rules: BreakerRules;
  #open = false;
  #wait = 0;
  #until = 0;
  #probing = false;
  #successes = 0;
  #consecutive = 0;
  #since = Number.NEGATIVE_INFINITY;
  #total = 0;
  #failed = 0;

  constructor(rules: BreakerRules) {
    this.#rules = rules;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** No failure is recorded. */
  get isUntroubled(): boolean {
    return !this.#open && this.#consecutive === 0;
  }

  /** Milliseconds until an attempt may begin; infinite while the probe is in flight. */
  wait(now: number): number {
    if (!this.#open) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#until - now);
  }

  /** Records the start of an attempt. True when it is the probe; report that to `ended`. */
  began(): boolean {
    if (!this.#open) return false;
    this.#probing = true;
    return true;
  }

  /** Records the result of an attempt. True when it closed the breaker. */
  ended(now: number, verdict: 'good' | 'bad' | 'none', isProbe: boolean): boolean {
    if (isProbe) this.#probing = false;
    if (verdict === 'none') return false;
    if (this.#open) return this.#whileOpen(now, verdict, isProbe);
    this.#count(now, verdict === 'bad');
    return false;
  }

  /** The receiver or its webhook changed: the next attempt is the probe. */
  probeNow(now: number): void {
    if (!this.#open) return;
    this.#until = now;
    this.#wait = this.#rules.firstWait;
  }

  #whileOpen(now: number, verdict: 'good' | 'bad', isProbe: boolean): boolean {
    if (verdict === 'bad') {
      // Attempts that began before the breaker opened tell nothing new.
      if (!isProbe) return false;
      this.#successes = 0;
      this.#wait = Math.min(this.#rules.longestWait, this.#wait * 2);
      this.#until = now + this.#wait;
      return false;
    }
    this.#until = now;
    this.#successes += 1;
    if (this.#successes < SUCCESSES) return false;
    this.#open = false;
    this.#consecutive = 0;
    this.#since = Number.NEGATIVE_INFINITY;
    return true;
  }

  #count(now: number, bad: boolean): void {
    if (now - this.#since > WINDOW) {
      this.#since = now;
      this.#total = 0;
      this.#failed = 0;
    }
    this.#total += 1;
    this.#consecutive = bad ? this.#consecutive + 1 : 0;
    if (!bad) return;
    this.#failed += 1;
    const often = this.#total >= AT_LEAST && this.#failed >= this.#total * SHARE;
    if (this.#consecutive < CONSECUTIVE && !often) return;
    this.#open = true;
    this.#successes = 0;
    this.#wait = this.#rules.firstWait;
    this.#until = now + this.#wait;
  }
}
