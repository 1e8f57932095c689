import type { Rate } from './flow/token-bucket.ts';
import { originOf } from './outbox.ts';
import type { Delivery } from './queue.ts';

/** What is in memory of one webhook: deliveries in the order in which they are to be sent. */
export class Line {
  readonly webhook: string;
  /** There may be more where these came from. */
  more = true;
  /** How fast its webhook may be delivered to, as last read. */
  rate: Rate | null = null;
  /** When the oldest of them was read, by `performance.now()`. */
  readAt = 0;
  /** Bytes of a body, about. */
  #weight = FIRST_WEIGHT;
  #deliveries: Delivery[] = [];
  #next = 0;

  constructor(webhook: string) {
    this.webhook = webhook;
  }

  get size(): number {
    return this.#deliveries.length - this.#next;
  }

  /** The delivery that is next. */
  get first(): Delivery | null {
    return this.#deliveries[this.#next] ?? null;
  }

  /** Of the delivery that is next; empty where its address has none. */
  get origin(): string {
    return (this.first && originOf(this.first.url)) ?? '';
  }

  /** How many to read at a time, by their size. */
  get portion(): number {
    return Math.max(1, Math.min(PORTION, Math.floor(PORTION_BYTES / this.#weight)));
  }

  /** With `firstAttempts` those that were tried before alternate with those that were not. */
  add(deliveries: readonly Delivery[], firstAttempts: boolean): void {
    if (this.size === 0) this.readAt = performance.now();
    for (const delivery of deliveries) this.#weight += (delivery.body.length - this.#weight) / 8;
    const added = firstAttempts ? alternating(deliveries) : deliveries;
    this.#deliveries = [...this.#deliveries.slice(this.#next), ...added];
    this.#next = 0;
  }

  shift(): Delivery | null {
    const delivery = this.#deliveries[this.#next];
    if (!delivery) return null;
    this.#next += 1;
    return delivery;
  }

  /** Takes all of them out. */
  empty(): readonly Delivery[] {
    const all = this.#deliveries.slice(this.#next);
    this.#deliveries = [];
    this.#next = 0;
    return all;
  }
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
