import { LIMITS } from '../kernel/limits.ts';
import type { Outcome } from './deliver.ts';

/** Decides whose turn it is. Times in milliseconds. */
export interface Flow {
  /** The webhook has deliveries in memory; the next goes to `origin`. */
  ready(webhook: string, origin: string): void;
  /** The webhook has none in memory. */
  idle(webhook: string): void;
  /** How many of the webhook's deliveries to have in memory, as many as could be begun soon; 0 while none may be. */
  appetite(webhook: string): number;
  /** The webhook whose next delivery is to be begun now; null when none may. */
  pick(): string | null;
  /** Until `pick` may answer otherwise though nothing ends meanwhile. */
  wait(): number;
  began(webhook: string, origin: string): void;
  /** The attempt ended; without an outcome it was not made after all. */
  ended(webhook: string, origin: string, outcome: Outcome | null): Ruling;
}

/** What an outcome means beyond its delivery. */
export interface Ruling {
  /** Nothing was learned of the receiver: the attempt does not count, and comes again after so long. Null: it counts. */
  readonly refund: number | null;
}

const COUNTS: Ruling = { refund: null };

/** Turns in a circle, with so many attempts at a time in all and for each webhook. */
export function simpleFlow(): Flow {
  const waiting = new Map<string, string>();
  const busy = new Map<string, number>();
  let inFlight = 0;
  const room = (webhook: string) => LIMITS.deliveriesPerWebhook - (busy.get(webhook) ?? 0);
  return {
    ready: (webhook, origin) => void waiting.set(webhook, origin),
    idle: (webhook) => void waiting.delete(webhook),
    appetite: (webhook) => Math.max(0, room(webhook)) && 4 * LIMITS.deliveriesPerWebhook,
    pick() {
      if (inFlight >= LIMITS.deliveriesInFlight) return null;
      for (const [webhook, origin] of waiting) {
        if (room(webhook) <= 0) continue;
        waiting.delete(webhook);
        waiting.set(webhook, origin);
        return webhook;
      }
      return null;
    },
    wait: () => Number.POSITIVE_INFINITY,
    began(webhook) {
      inFlight += 1;
      busy.set(webhook, (busy.get(webhook) ?? 0) + 1);
    },
    ended(webhook) {
      inFlight -= 1;
      const left = (busy.get(webhook) ?? 0) - 1;
      if (left > 0) busy.set(webhook, left);
      else busy.delete(webhook);
      return COUNTS;
    },
  };
}
