import type { Rate } from './flow/token-bucket.ts';
import { originOf } from './outbox.ts';
import type { Delivery } from './queue.ts';

/** What is in memory of one webhook, those first that were read first; beside each other what is to be taken care with, and the rest. */
export class Line {
  readonly webhook: string;
  /** There may be more where these came from. */
  more = true;
  /** How fast its webhook may be delivered to, as last read. */
  rate: Rate | null = null;
  /** Bytes of a body, about. */
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

  /** How many of them are ahead of those that would be read now: a portion of what has to wait for its turn holds up nothing else. */
  get ahead(): number {
    return this.size - Math.min(this.#wary.length, PORTION);
  }

  /** When the oldest of them was read, by `performance.now()`; infinite when there is none. */
  get readAt(): number {
    const oldest = [this.#plain[this.#next], this.#wary[0]].map((held) => held?.readAt);
    return Math.min(...oldest.map((at) => at ?? Number.POSITIVE_INFINITY));
  }

  /** Where the next of them goes, as far as that is known; empty where its address has no origin. */
  get origin(): string {
    const first = this.#plain[this.#next] ?? this.#wary[0];
    return (first && originOf(first.delivery.url)) ?? '';
  }

  /** How many to read at a time, by their size. */
  get portion(): number {
    return Math.max(1, Math.min(PORTION, Math.floor(PORTION_BYTES / this.#weight)));
  }

  /** `isWary`: to be taken care with. With `firstAttempts` those that were tried before alternate with those that were not. */
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

  /** The next that may be begun; null when none may, though there be some that are not admitted yet. */
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

  /** Takes all of them out. */
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

/** Deliveries of a webhook read at a time, at most, and their bytes, about. */
const PORTION = 256;
const PORTION_BYTES = 4 * 1024 * 1024;
const FIRST_WEIGHT = 32 * 1024;
