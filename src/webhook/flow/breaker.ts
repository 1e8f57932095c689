/** How a breaker waits; milliseconds. */
export interface BreakerRules {
  /** From opening to the first probe; each probe that fails doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
}

/** Failures one after another that open it. */
const CONSECUTIVE = 5;
/** Or this share of at least so many within this time, milliseconds. */
const SHARE = 0.7;
const AT_LEAST = 20;
const WINDOW = 30_000;
/** Successes one after another that close it. */
const SUCCESSES = 2;

/**
 * Leaves an origin alone that fails again and again, but for one attempt now and then, the probe. Deliveries meanwhile wait,
 * and lose no attempts by it. Times in milliseconds of any steady clock.
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

  /** Nothing counts against the origin. */
  get isUntroubled(): boolean {
    return !this.#open && this.#consecutive === 0;
  }

  /** Milliseconds until an attempt may begin; infinite while the probe is under way. */
  wait(now: number): number {
    if (!this.#open) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#until - now);
  }

  /** An attempt began; true when it is the probe, which `ended` is to be told. */
  began(): boolean {
    if (!this.#open) return false;
    this.#probing = true;
    return true;
  }

  /** Resolves what an attempt showed; true when it closed the breaker. */
  ended(now: number, verdict: 'good' | 'bad' | 'none', isProbe: boolean): boolean {
    if (isProbe) this.#probing = false;
    if (verdict === 'none') return false;
    if (this.#open) return this.#whileOpen(now, verdict, isProbe);
    this.#count(now, verdict === 'bad');
    return false;
  }

  /** Something changed at the receiver or in its webhook: the next attempt is the probe. */
  probeNow(now: number): void {
    if (!this.#open) return;
    this.#until = now;
    this.#wait = this.#rules.firstWait;
  }

  #whileOpen(now: number, verdict: 'good' | 'bad', isProbe: boolean): boolean {
    if (verdict === 'bad') {
      // Those that began before it opened say nothing new.
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
