/** Where an origin that nobody knows begins, and from where on it grows more slowly. */
const FIRST = 1;
const USUAL = 8;
/** Durations looked at: the second longest of them is about the 95th percentile. */
const RECENT = 20;
/** Below it more attempts at a time are tried; milliseconds. */
const FAST = 250;
/** Above it the origin is slow: the slow ones together must leave room for the others. Milliseconds. */
export const SLOW = 2_000;
/** Above it attempts become fewer, as when they fail; milliseconds. */
const VERY_SLOW = 5_000;

/** How many attempts to one origin at a time: more while it is fast, half as many whenever it is very slow or fails. */
export class Concurrency {
  readonly #most: number;
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

  /** The average of late durations; 0 when nothing ended yet. Milliseconds. */
  get average(): number {
    return this.#average;
  }

  /** Something was seen of it. */
  get isKnown(): boolean {
    return this.#known;
  }

  /** Slow, failing, or not known to be otherwise. */
  get isSlow(): boolean {
    return !this.#proven || this.#late > SLOW;
  }

  /** One has been under way for `SLOW`. */
  isLate(): void {
    this.#known = true;
    this.#proven = false;
  }

  /** It may be the attempt that hangs, and not the origin: another finds out. */
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
