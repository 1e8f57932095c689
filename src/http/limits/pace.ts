/** The part of its longest wait that a request may expect. The rest is for errors of the estimate. */
const EXPECTED_PART = 0.5;
/** Requests that leave queues before there is an estimate, roughly. */
const SAMPLES = 7;
/** Weight of all earlier requests, as each one leaves the queue. */
const MEMORY = 0.97;
/** Milliseconds that one request adds to the estimate, at most: the process may have been frozen meanwhile. */
const LONGEST = 100;
/** Milliseconds after which the pace of an earlier queue tells nothing about a new one. */
const STALE = 10_000;

/**
 * The pace at which a queue moves. A request that must expect to wait too long is refused when it comes: its
 * client need not wait to learn that.
 */
export class Pace {
  #since = 0;
  #noted = 0;
  #millis = 0;
  #count = 0;

  /** The queue, empty so far, gets its first request. */
  start(): void {
    this.#since = performance.now();
    if (this.#since - this.#noted <= STALE) return;
    this.#millis = 0;
    this.#count = 0;
  }

  /** So many requests have left the queue since it started, or since the last call. */
  note(count: number): void {
    const now = performance.now();
    const memory = MEMORY ** count;
    this.#millis = this.#millis * memory + Math.min(now - this.#since, LONGEST * count);
    this.#count = this.#count * memory + count;
    this.#since = now;
    this.#noted = now;
  }

  /** Whether a request behind so many others can expect its turn soon enough for this patience, in milliseconds. */
  isHopeful(ahead: number, patience: number): boolean {
    if (this.#count < SAMPLES) return true;
    return ahead * (this.#millis / this.#count) <= patience * EXPECTED_PART;
  }
}
