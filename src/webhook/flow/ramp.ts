const SECOND = 1_000;
/** After this many seconds, at 2^8 a second, the ramp ends. */
const SECONDS = 9;

/** Limits the rate after a pause: one in the first second, two in the next, four, and so on. */
export class Ramp {
  #from = Number.NEGATIVE_INFINITY;
  #second = 0;
  #begun = 0;

  start(now: number): void {
    this.#from = now;
    this.#second = 0;
    this.#begun = 0;
  }

  /** Ends the ramp. */
  stop(): void {
    this.#from = Number.NEGATIVE_INFINITY;
  }

  /** The ramp limits attempts, or will with the next one. */
  isOn(now: number): boolean {
    return this.#secondOf(now) < SECONDS;
  }

  /** Milliseconds until one may begin; 0 when one may now. */
  wait(now: number): number {
    const second = this.#secondOf(now);
    if (second >= SECONDS) return 0;
    if (second !== this.#second) return 0;
    if (this.#begun < 2 ** second) return 0;
    return Math.max(1, Math.ceil(this.#from + (second + 1) * SECOND - now));
  }

  began(now: number): void {
    const second = this.#secondOf(now);
    if (second >= SECONDS) return;
    if (second !== this.#second) this.#begun = 0;
    this.#second = second;
    this.#begun += 1;
  }

  #secondOf(now: number): number {
    return Math.max(0, Math.floor((now - this.#from) / SECOND));
  }
}
