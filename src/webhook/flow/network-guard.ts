/** Origins that must fall silent within `WINDOW`, without an answer from anybody. */
const ORIGINS = 5;
const WINDOW = 30_000;
/** Between two probes, and how long at most until failures count again: a network that is gone so long is the operator's. */
const PROBE = 5_000;
const LONGEST = 15 * 60_000;
const REMEMBERED = 10_000;

/**
 * Notices that it is this machine's own network, resolver, or supply of sockets that fails: several origins at once cannot be
 * reached and nobody answers. Then nothing is attempted but one probe now and then, and what failed does not count.
 * Times in milliseconds of any steady clock.
 */
export class NetworkGuard {
  /** When each origin fell silent that did since anybody answered. */
  readonly #silent = new Map<string, number>();
  /** Those that were silent before: they say nothing about this machine. */
  readonly #dead = new Set<string>();
  #trippedAt: number | null = null;
  #until = 0;
  #probing = false;

  get isTripped(): boolean {
    return this.#trippedAt !== null;
  }

  /** Between two probes; milliseconds. */
  get pause(): number {
    return PROBE;
  }

  /** Milliseconds until an attempt may begin; infinite while the probe is under way. */
  wait(now: number): number {
    if (this.#trippedAt === null) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : Math.max(0, this.#until - now);
  }

  /** An attempt began; true when it is the probe, which `ended` is to be told. */
  began(): boolean {
    if (this.#trippedAt === null) return false;
    this.#probing = true;
    return true;
  }

  /** Resolves what an attempt showed; true when its failure is this machine's and does not count. */
  ended(
    now: number,
    origin: string,
    verdict: 'answered' | 'unreached' | 'own' | 'none',
    isProbe: boolean,
  ): boolean {
    if (isProbe) this.#probing = false;
    if (verdict === 'none') {
      if (isProbe) this.#until = now;
      return false;
    }
    if (verdict === 'answered') {
      this.#bury();
      this.#dead.delete(origin);
      this.#trippedAt = null;
      return false;
    }
    if (verdict === 'own') this.#trip(now);
    else this.#fellSilent(now, origin);
    return this.#trippedAt !== null;
  }

  #fellSilent(now: number, origin: string): void {
    if (this.#trippedAt !== null) {
      this.#until = Math.max(this.#until, now + PROBE);
      if (now - this.#trippedAt < LONGEST) return;
      this.#trippedAt = null;
      this.#bury();
    }
    if (this.#dead.has(origin)) return;
    if (this.#dead.size > REMEMBERED) this.#dead.clear();
    if (!this.#silent.has(origin)) this.#silent.set(origin, now);
    for (const [each, since] of this.#silent) {
      if (now - since <= WINDOW) break;
      this.#silent.delete(each);
      this.#dead.add(each);
    }
    if (this.#silent.size >= ORIGINS) this.#trip(now);
  }

  // Whoever was silent while others answered is so for reasons of its own.
  #bury(): void {
    for (const each of this.#silent.keys()) this.#dead.add(each);
    this.#silent.clear();
  }

  #trip(now: number): void {
    this.#trippedAt ??= now;
    this.#until = Math.max(this.#until, now + PROBE);
  }
}
