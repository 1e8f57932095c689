import type { Site } from '../document/context.ts';
import { nowMillis } from '../kernel/clock.ts';
import { addressGuard } from './address-guard.ts';
import type { Outcome, Sender } from './deliver.ts';
import { type DeliveryErrorKind, deliveryError } from './delivery-error.ts';
import type { Delivery } from './queue.ts';
import { renderRequest } from './request.ts';
import type { Target } from './targets.ts';

/** Makes attempts: renders, signs and sends. */
export class Attempts {
  readonly #site: Site;
  /** Made for the first delivery: a process that sends nothing does not load the HTTP client. */
  #opening: Promise<Sender> | null = null;
  #sender: Sender | null = null;

  constructor(site: Site) {
    this.#site = site;
  }

  /** Never throws. */
  async make(delivery: Delivery, target: Target): Promise<Outcome> {
    const { signing } = target;
    if (signing === null) return notSent('invalid_request', 'the secret of the webhook cannot be read');
    try {
      const sender = this.#sender ?? (await this.#open());
      const now = nowMillis(this.#site.clock);
      return await sender.send(renderRequest(delivery, target, signing, now));
    } catch (error) {
      this.#site.observe({ kind: 'unexpected', where: `delivery ${delivery.name}`, error });
      return notSent('invalid_request', 'the request could not be made');
    }
  }

  /** Breaks off what is on its way. */
  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }

  async #open(): Promise<Sender> {
    const { allow, proxy } = this.#site.config.webhooks;
    this.#opening ??= import('./deliver.ts').then(({ createSender }) =>
      createSender(addressGuard(allow), proxy),
    );
    this.#sender = await this.#opening;
    return this.#sender;
  }
}

/** The outcome of an attempt that sent nothing. */
export function notSent(kind: DeliveryErrorKind, text: string): Outcome {
  const error = deliveryError(kind, text);
  return { error, status: 0, response: null, remoteIp: null, retryAfter: null, millis: 0 };
}
