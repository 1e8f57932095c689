const SECOND = 1_000;
/** After so many seconds, at 2^8 a second, nothing is held back any more. */
const SECONDS = 9;

/** Holds back what comes after a silence: one in the first second, two in the next, four, and so on. */
export class Ramp {
  #from = Number.NEGATIVE_INFINITY;
  #second = 0;
  #begun = 0;

  start(now: number): void {
    this.#from = now;
    this.#second = 0;
    this.#begun = 0;
  }

  /** Holds nothing back any more. */
  stop(): void {
    this.#from = Number.NEGATIVE_INFINITY;
  }

  /** It holds back, or is about to. */
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
