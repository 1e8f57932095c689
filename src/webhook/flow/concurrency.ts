/** The limit of an unknown origin at the start, and the limit from which growth slows down. */
const FIRST = 1;
const USUAL = 8;
/** Durations kept: the second longest approximates the 95th percentile. */
const RECENT = 20;
/** Below this latency the limit grows; milliseconds. */
const FAST = 250;
/**
 * Above this latency the origin is slow. Slow origins together must leave room for the others. Milliseconds.
 */
export const SLOW = 2_000;
/** Above this latency the limit shrinks, as after a failure; milliseconds. */
const VERY_SLOW = 5_000;

/** Fast: more attempts at once would be welcome. Slow: one at a time is enough. */
export type Pace = 'fast' | 'slow';

/**
 * The limit of concurrent attempts to one origin: it grows while the origin is fast, and halves when it is
 * very slow or fails.
 */
export class Concurrency {
  #most: number;
  readonly #recent: number[] = [];
  #next = 0;
  #limit: number;
  #late = 0;
  #average = 0;
  #proven = false;
  #known = false;

  constructor(most: number) {
    this.#most = most;
    this.#limit = Math.min(FIRST, most);
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** The average of recent durations in milliseconds; 0 before the first. */
  get average(): number {
    return this.#average;
  }

  /** At least one attempt has ended. */
  get isKnown(): boolean {
    return this.#known;
  }

  /** Slow, failing, or unknown. */
  get isSlow(): boolean {
    return !this.#proven || this.#late > SLOW;
  }

  /** Null: neither, or unknown. */
  get pace(): Pace | null {
    const usual = Math.min(USUAL, this.#most);
    if (this.#late > SLOW || (this.#known && this.limit * 4 <= usual)) return 'slow';
    return !this.isSlow && this.limit >= usual ? 'fast' : null;
  }

  /** Sets the highest limit. */
  allow(most: number): void {
    this.#most = most;
    this.#limit = Math.min(this.#limit, most);
  }

  /** An attempt has been in flight for `SLOW`. */
  isLate(): void {
    this.#known = true;
    this.#proven = false;
  }

  /** Allows a second attempt: it shows whether the origin hangs or only the first attempt. */
  tryAnother(): void {
    this.#limit = Math.min(this.#most, FIRST + 1);
  }

  ended(millis: number, good: boolean): void {
    this.#known = true;
    this.#remember(millis);
    this.#proven = good && millis <= SLOW;
    if (!good || millis > VERY_SLOW) this.#limit = Math.max(1, this.#limit / 2);
    else if (this.#late < FAST) {
      const step = this.#limit < USUAL ? 1 : 1 / this.#limit;
      this.#limit = Math.min(this.#most, this.#limit + step);
    }
  }

  #remember(millis: number): void {
    this.#average = this.#average === 0 ? millis : this.#average + (millis - this.#average) / 8;
    this.#recent[this.#next] = millis;
    this.#next = (this.#next + 1) % RECENT;
    let [longest, second] = [0, 0];
    for (const each of this.#recent) {
      if (each > longest) [longest, second] = [each, longest];
      else if (each > second) second = each;
    }
    this.#late = this.#recent.length < RECENT / 2 ? longest : second;
  }
}
