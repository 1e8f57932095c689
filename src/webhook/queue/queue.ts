import type { Pace } from '../flow/concurrency.ts';
import type { Delivery } from '../send/delivery.ts';
import type { Outcome } from '../send/delivery-request.ts';
import type { DueDelivery } from './wake.ts';

/** A webhook with waiting deliveries, and the milliseconds until the first is due (negative: overdue). */
export interface Waiting {
  readonly webhook: string;
  readonly dueIn: number;
}

/** The most deliveries of a webhook to take. */
export interface Quota {
  readonly webhook: string;
  readonly limit: number;
  /** At least half of them are to be first attempts, if there are so many. */
  readonly firstAttempts?: boolean;
  /** The webhook has a rate limit, which only one process can keep. */
  readonly undivided?: boolean;
}

/** Who sends due deliveries. */
export interface Senders {
  /** Webhooks of which this process sends some. */
  readonly here: readonly string[];
  /** The other processes that send some; null: all of them must look. */
  readonly elsewhere: readonly string[] | null;
}

/** The result of a delivery that was taken. */
export interface Settlement {
  readonly delivery: Delivery;
  /**
   * `refunded`: the attempt tells nothing of the receiver, so it does not count and is not logged. `held`: a
   * setting forbids the target; the attempt does not count, and the delivery waits for `resume`.
   */
  readonly state: 'delivered' | 'retry' | 'exhausted' | 'refunded' | 'held';
  /** Milliseconds until the next attempt; only for `retry` and `refunded`. */
  readonly delay: number;
  /** The same as a log timestamp; null when there is none. */
  readonly nextRetry: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: Outcome;
}

/** What a look at the queue has shown. */
export interface Tended {
  /** False when no delivery waits, due or not. */
  readonly areSomeWaiting: boolean;
  /** When the known health of a receiver last changed; milliseconds since the epoch. Null: not known. */
  readonly healthAt: number | null;
}

/**
 * The deliveries of a site, as one process sees them. A delivery taken here is leased to this process until
 * it is settled or released, or the process is presumed dead. Per webhook and document only the oldest
 * delivery is ever leased.
 */
export interface DeliveryQueue {
  /** Joins the processes that deliver. */
  join(): Promise<void>;
  /** The processes that deliver, this one included. */
  readonly processes: number;
  /** True when this process sends the webhook's deliveries, or a share of them. */
  isHere(webhook: string): boolean;
  sendersOf(due: readonly DueDelivery[]): Senders;
  /** Reports how much a webhook's receiver takes at once: several processes send to a fast one. */
  note(webhook: string, pace: Pace): void;
  /** Webhooks sent by this process that have waiting deliveries. */
  waiting(): Promise<Waiting[]>;
  /** Leases due deliveries of enabled webhooks, the oldest of each first. */
  take(quotas: readonly Quota[]): Promise<Delivery[]>;
  /**
   * False while a cautious delivery must wait for others. When it returns true, the delivery counts as in
   * flight until it is settled or released.
   */
  admits(delivery: Delivery): boolean;
  /**
   * Records that these are about to be sent, since the process may die while it sends them: see `isCautious`.
   * Resolves to those that may be sent now.
   */
  mark(deliveries: readonly Delivery[]): Promise<readonly Delivery[]>;
  /**
   * Records the results of deliveries, with an attempt row each, and promotes the next one of a document when
   * one ends. Ignores deliveries whose lease this process has lost. Resolves to the webhooks that got due
   * deliveries.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly string[]>;
  /** Makes the held deliveries of enabled webhooks due: a setting or an address may have changed. */
  resume(): Promise<void>;
  /** Ends the leases of deliveries that were not sent. */
  release(deliveries: readonly Delivery[]): Promise<void>;
  /**
   * Writes the heartbeat of this process, and reclaims the deliveries of dead ones. Call it every `TEND`
   * milliseconds.
   */
  tend(): Promise<Tended>;
  /** Processes died before this one, and this delivery may be the cause. */
  isCautious(delivery: Delivery): boolean;
  /** Other processes may presume this one dead: it must not begin an attempt. */
  isFenced(): boolean;
  /** Lets the other processes send from now on. This one ends what it has begun. Call no `tend` after it. */
  retire(): Promise<void>;
  /** Releases everything and leaves. */
  leave(): Promise<void>;
}

/** Another process owns the queue: what this one has in memory is void. */
export class NotOwner extends Error {}

/** Milliseconds between two calls of `tend`. */
export const TEND = 1_000;
/** Milliseconds between two calls of `resume`. */
export const RESUME = 10 * 60_000;
/** A delivery that was in flight at this many deaths of a process is not retried. */
export const POISON = 5;
/**
 * After this many deaths within `LOOP` milliseconds, the deliveries that may have caused them are isolated.
 */
export const LOOP_DEATHS = 3;
export const LOOP = 10 * 60_000;
