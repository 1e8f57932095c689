/** The part of its longest wait that a request may expect. The rest is for errors of the estimate. */
const EXPECTED_PART = 0.5;
/** Requests that leave the queue before there is an estimate. */
const SAMPLES = 8;
/** Weight of all earlier requests, as each one leaves the queue. */
const MEMORY = 0.97;
/** Milliseconds after which the pace of an earlier queue tells nothing about a new one. */
const STALE = 10_000;

/**
 * The pace at which a queue moves. A request that must expect to wait too long is refused when it comes: its
 * client need not wait to learn that.
 */
export class Pace {
  #noted = Number.NEGATIVE_INFINITY;
  #millis = 0;
  #count = 0;
  #seen = 0;

  /** The queue, empty so far, gets its first request. */
  start(): void {
    const now = performance.now();
    if (now - this.#noted > STALE) {
      this.#millis = 0;
      this.#count = 0;
      this.#seen = 0;
    }
    this.#noted = now;
  }

  /** So many requests have left the queue since the last call. */
  note(count: number): void {
    const now = performance.now();
    const memory = MEMORY ** count;
    this.#millis = this.#millis * memory + now - this.#noted;
    this.#count = this.#count * memory + count;
    this.#seen += count;
    this.#noted = now;
  }

  /** Whether a request behind so many others can expect its turn soon enough for this patience, in milliseconds. */
  isHopeful(ahead: number, patience: number): boolean {
    if (this.#seen < SAMPLES) return true;
    return ahead * (this.#millis / this.#count) <= patience * EXPECTED_PART;
  }
}
