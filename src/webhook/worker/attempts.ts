import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { addressGuard } from '../../net/address-guard.ts';
import type { Sender } from '../send/deliver.ts';
import type { Delivery } from '../send/delivery.ts';
import { type DeliveryErrorKind, deliveryError } from '../send/delivery-error.ts';
import type { Outcome } from '../send/delivery-request.ts';
import { renderRequest } from '../send/request.ts';
import { sendTraced } from '../send/traced-send.ts';
import type { WebhookTarget } from './targets.ts';

/** Makes attempts: renders, signs and sends. */
export class Attempter {
  readonly #site: Site;
  /** Created for the first delivery, so that a process that sends nothing does not load the HTTP client. */
  #opening: Promise<Sender> | null = null;
  #sender: Sender | null = null;

  constructor(site: Site) {
    this.#site = site;
  }

  /** Never throws. */
  async make(delivery: Delivery, target: WebhookTarget): Promise<Outcome> {
    const { signing } = target;
    if (signing === null) return notSent('invalid_request', 'the secret of the webhook cannot be read');
    try {
      const sender = this.#sender ?? (await this.#open());
      const now = nowMillis(this.#site.clock);
      const request = renderRequest(delivery, target, signing, now);
      const { tracing } = this.#site;
      return await (tracing ? sendTraced(tracing, sender, delivery, request) : sender.send(request));
    } catch (error) {
      this.#site.observe({ kind: 'unexpected', where: `delivery ${delivery.name}`, error });
      return notSent('invalid_request', 'the request could not be built');
    }
  }

  /** Aborts all attempts in flight. */
  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }

  async #open(): Promise<Sender> {
    const { allow, proxy } = this.#site.config.webhooks;
    this.#opening ??= import('../send/deliver.ts').then(({ createSender }) =>
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
