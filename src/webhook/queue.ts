import type { Outcome } from './deliver.ts';

/** A delivery that this process may send, with all that is frozen about it. */
export interface Delivery {
  readonly id: number;
  /** Its record's name. */
  readonly name: string;
  /** What the receiver knows it by: stays over attempts, and when somebody has it sent again. */
  readonly messageId: string;
  readonly webhook: string;
  readonly event: string;
  readonly doctypeName: string;
  readonly orderKey: string;
  /** Grows with every delivery of a webhook, and for each document in the order of its changes. */
  readonly seq: number;
  /** How many deliveries led to this one, each by a change made on receiving the one before. */
  readonly chainDepth: number;
  readonly isTest: boolean;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** How often a process died while this was on its way; -1 when it may have been, after several deaths. */
  readonly suspect: number;
  /** Grows with every lease: what an earlier holder reports is refused. */
  readonly epoch: number;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

/** A webhook with waiting deliveries, and the milliseconds until the first is due (negative: overdue). */
export interface Waiting {
  readonly webhook: string;
  readonly dueIn: number;
}

/** How many deliveries of a webhook to take, at most. */
export interface Quota {
  readonly webhook: string;
  readonly limit: number;
  /** Half of them, at least, are to be those that were never tried, as far as there are so many. */
  readonly firstAttempts?: boolean;
}

/** What became of a delivery that was taken. */
export interface Settlement {
  readonly delivery: Delivery;
  /**
   * `refunded`: nothing was learned of the receiver, so the attempt does not count and leaves no trace. `held`: a setting
   * forbids the target; the attempt does not count, and the delivery waits for `resume`.
   */
  readonly state: 'delivered' | 'retry' | 'exhausted' | 'refunded' | 'held';
  /** Milliseconds until the next attempt; only for `retry` and `refunded`. */
  readonly delay: number;
  /** The same as a timestamp of the log; null when there is none. */
  readonly nextRetry: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: Outcome;
}

/**
 * The deliveries of a site, as one process sees them. What it takes it has for itself until it settles or releases it, or is
 * taken for dead; of the deliveries of one webhook about one document nobody has more than one, the oldest.
 */
export interface DeliveryQueue {
  /** Takes part from now on. */
  join(): Promise<void>;
  /** The webhook's deliveries are this process's to send, not another's. */
  isHere(webhook: string): boolean;
  /** Webhooks with something waiting that is this process's to send. */
  waiting(): Promise<Waiting[]>;
  /** Due deliveries of enabled webhooks, of each the oldest first. */
  take(quotas: readonly Quota[]): Promise<Delivery[]>;
  /** False while a cautious delivery has to wait for others. Once it is true the delivery counts as under way, until it is settled or released. */
  admits(delivery: Delivery): boolean;
  /**
   * Writes down that these are about to be sent, where the process may not live to tell: see `isCautious`. Resolves to those that
   * may be sent now.
   */
  mark(deliveries: readonly Delivery[]): Promise<readonly Delivery[]>;
  /**
   * Records what became of deliveries, with an attempt row each, and lets the next one of a document go when one is through. One
   * that is no longer this process's is left alone. Resolves to the webhooks that have something due by that.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly string[]>;
  /** Makes the held deliveries of enabled webhooks due: a setting, or an address, may have changed. */
  resume(): Promise<void>;
  /** Gives back what was not sent. */
  release(deliveries: readonly Delivery[]): Promise<void>;
  /** Says that this process lives, and finds what the dead held. To be called every `TEND` milliseconds. */
  tend(): Promise<void>;
  /** Processes died before this one, and the delivery may be what they died of. */
  isCautious(delivery: Delivery): boolean;
  /** Others may take this process for dead: it must not begin an attempt. */
  isFenced(): boolean;
  /** Gives back everything and takes no more part. */
  leave(): Promise<void>;
}

/** Another process has the queue; what this one has found out counts for nothing. */
export class NotOwner extends Error {}

/** Milliseconds between two calls of `tend`. */
export const TEND = 1_000;
/** Milliseconds between two calls of `resume`. */
export const RESUME = 10 * 60_000;
/** After so many deaths of processes that were sending it, a delivery is not tried again. */
export const POISON = 5;
/** After so many deaths within `LOOP` milliseconds care is taken with what may have been under way at them. */
export const LOOP_DEATHS = 3;
export const LOOP = 10 * 60_000;
