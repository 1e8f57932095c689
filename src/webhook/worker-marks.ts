import type { Delivery, DeliveryQueue } from './queue.ts';

/**
 * Writes down what is about to be sent with care: together what begins while the one before is written, as a transaction of its
 * own for each would hold up all that wait for them.
 */
export class Marks {
  readonly #queue: Pick<DeliveryQueue, 'mark'>;
  #gathered: Delivery[] = [];
  #next: Promise<ReadonlySet<Delivery>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queue: Pick<DeliveryQueue, 'mark'>) {
    this.#queue = queue;
  }

  /** True when it is written down and may be sent. Throws what the queue does. */
  async make(delivery: Delivery): Promise<boolean> {
    this.#gathered.push(delivery);
    if (!this.#next) {
      this.#next = this.#write(this.#last);
      this.#last = this.#next.catch(() => null);
    }
    return (await this.#next).has(delivery);
  }

  async #write(last: Promise<unknown>): Promise<ReadonlySet<Delivery>> {
    await last;
    const deliveries = this.#gathered;
    this.#gathered = [];
    this.#next = null;
    return new Set(await this.#queue.mark(deliveries));
  }
}
