import { LIMITS } from '../../kernel/limits.ts';
import type { Pace } from '../flow/concurrency.ts';

/** A receiver without an attempt for so long is not known to be fast any more; milliseconds. */
const FORGOTTEN = 60_000;
/** A receiver that was slow is not reported as fast for so long, so that its sender changes seldom; milliseconds. */
const DISTRUSTED = 60_000;

/** Which receivers the attempts of this process found fast. Times by `performance.now()`. */
export class FastReceivers {
  /** When they were last found fast, by webhook. */
  readonly #fast = new Map<string, number>();
  readonly #distrustedUntil = new Map<string, number>();

  note(webhook: string, pace: Pace): void {
    const now = performance.now();
    if (pace === 'slow') {
      if (this.#fast.delete(webhook)) this.#distrustedUntil.set(webhook, now + DISTRUSTED);
    } else if (this.#fast.has(webhook) || this.#mayBegin(webhook, now)) this.#fast.set(webhook, now);
  }

  /** The webhooks with a fast receiver among those whose home is here. */
  report(isHome: (webhook: string) => boolean): readonly string[] {
    const now = performance.now();
    for (const [webhook, at] of this.#fast) {
      if (now - at > FORGOTTEN || !isHome(webhook)) this.#fast.delete(webhook);
    }
    for (const [webhook, until] of this.#distrustedUntil) {
      if (now >= until) this.#distrustedUntil.delete(webhook);
    }
    return [...this.#fast.keys()];
  }

  #mayBegin(webhook: string, now: number): boolean {
    return this.#fast.size < LIMITS.webhooksSpread && now >= (this.#distrustedUntil.get(webhook) ?? now);
  }
}
