import type { Rate } from '../flow/token-bucket.ts';
import { urlOrigin } from '../queue/outbox.ts';
import type { Delivery } from '../send/delivery.ts';

/**
 * The deliveries of one webhook in memory, in the order of reading; suspect ones are kept apart from the
 * rest.
 */
export class Backlog {
  readonly webhook: string;
  /** The queue may have more. */
  more = true;
  /** The rate of its webhook, as last read. */
  rate: Rate | null = null;
  /** The approximate bytes of a body. */
  #weight = FIRST_WEIGHT;
  #plain: readonly Held[] = [];
  #next = 0;
  #wary: readonly Held[] = [];

  constructor(webhook: string) {
    this.webhook = webhook;
  }

  get size(): number {
    return this.#plain.length - this.#next + this.#wary.length;
  }

  /**
   * How many of them are ahead of newly read ones. Only a portion of those that must wait counts, so that
   * they hold up no others.
   */
  get ahead(): number {
    return this.size - Math.min(this.#wary.length, PORTION);
  }

  /** The time of the oldest read, by `performance.now()`; infinite when empty. */
  get readAt(): number {
    const oldest = [this.#plain[this.#next], this.#wary[0]].map((held) => held?.readAt);
    return Math.min(...oldest.map((at) => at ?? Number.POSITIVE_INFINITY));
  }

  /** The origin of the next delivery, as far as known; empty if its address has none. */
  get origin(): string {
    const first = this.#plain[this.#next] ?? this.#wary[0];
    return (first && urlOrigin(first.delivery.url)) ?? '';
  }

  /** How many to read at a time, by their size. */
  get portion(): number {
    return Math.max(1, Math.min(PORTION, Math.floor(PORTION_BYTES / this.#weight)));
  }

  /** `isWary`: the deliveries are suspect. With `firstAttempts`, retries alternate with first attempts. */
  add(
    deliveries: readonly Delivery[],
    isWary: (delivery: Delivery) => boolean,
    firstAttempts: boolean,
  ): void {
    const readAt = performance.now();
    for (const delivery of deliveries) this.#weight += (delivery.body.length - this.#weight) / 8;
    const wary = deliveries.filter(isWary);
    const plain = wary.length === 0 ? deliveries : deliveries.filter((delivery) => !isWary(delivery));
    const held = (delivery: Delivery) => ({ delivery, readAt });
    this.#wary = [...this.#wary, ...wary.map(held)];
    this.#plain = [
      ...this.#plain.slice(this.#next),
      ...(firstAttempts ? alternating(plain) : plain).map(held),
    ];
    this.#next = 0;
  }

  /** Removes the next that may begin; null when none is admitted yet. */
  shift(admits: (wary: Delivery) => boolean): Delivery | null {
    const [first, ...others] = this.#wary;
    if (first && admits(first.delivery)) {
      this.#wary = others;
      return first.delivery;
    }
    const next = this.#plain[this.#next];
    if (!next) return null;
    this.#next += 1;
    return next.delivery;
  }

  /** Removes all. */
  empty(): readonly Delivery[] {
    const all = [...this.#wary, ...this.#plain.slice(this.#next)];
    this.#plain = [];
    this.#next = 0;
    this.#wary = [];
    return all.map(({ delivery }) => delivery);
  }
}

interface Held {
  readonly delivery: Delivery;
  readonly readAt: number;
}

function alternating(deliveries: readonly Delivery[]): Delivery[] {
  const first = deliveries.filter(({ attempts }) => attempts === 0);
  const again = deliveries.filter(({ attempts }) => attempts > 0);
  const longer = Math.max(first.length, again.length);
  return Array.from({ length: longer }, (_, index) => [first[index], again[index]])
    .flat()
    .filter((delivery) => delivery !== undefined);
}

/** Deliveries of a webhook per read, at most, and their approximate bytes. */
const PORTION = 256;
const PORTION_BYTES = 4 * 1024 * 1024;
const FIRST_WEIGHT = 32 * 1024;
