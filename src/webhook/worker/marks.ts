import type { DeliveryQueue } from '../queue/queue.ts';
import type { Delivery } from '../send/delivery.ts';

/**
 * Marks suspect deliveries before they are sent. Those that arrive during a write share the next one, because
 * a transaction each would delay all that wait.
 */
export class Marks {
  readonly #queue: Pick<DeliveryQueue, 'mark'>;
  #gathered: Delivery[] = [];
  #next: Promise<ReadonlySet<Delivery>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queue: Pick<DeliveryQueue, 'mark'>) {
    this.#queue = queue;
  }

  /** True when it is marked and may be sent. Throws the errors of the queue. */
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
