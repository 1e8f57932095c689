/** The growth of waits between retries. Milliseconds. */
export interface Backoff {
  /** Wait after the first failure. */
  readonly base: number;
  /** Growth per further failure. */
  readonly factor: number;
  /** Ceiling before jitter. */
  readonly cap: number;
}

/** Jitter only lengthens a wait, so a retry never comes earlier than promised. */
const JITTER = 0.2;

/**
 * Milliseconds to wait after failure number `failures` (1-based):
 * `min(cap, base * factor^(failures-1))`, lengthened by up to 20 %. `fraction` is a random number in [0, 1).
 */
export function backoffDelay(failures: number, backoff: Backoff, fraction: number): number {
  const grown = backoff.base * backoff.factor ** Math.max(0, failures - 1);
  return Math.round(Math.min(backoff.cap, grown) * (1 + JITTER * fraction));
}
