import { isRecord } from '../kernel/value.ts';
import type { DeliveryRequest } from './deliver.ts';
import { HEADER_MASK, headerProblem } from './header-rules.ts';
import type { Delivery } from './queue.ts';
import { signBody, signMessage } from './sign.ts';
import type { Target } from './targets.ts';

/** The request of one attempt, signed with the webhook's current secret. `now` is milliseconds since the epoch. */
export function renderRequest(
  delivery: Delivery,
  target: Target,
  secret: string,
  now: number,
): DeliveryRequest {
  const body = Buffer.from(delivery.body, 'utf8');
  const seconds = Math.floor(now / 1000);
  const signature = signBody(secret, body);
  return {
    method: delivery.method,
    url: delivery.url,
    body,
    timeout: target.timeout,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Chancery-Webhook/1',
      ...customHeaders(delivery, target),
      'accept-encoding': 'identity',
      'x-service-webhook-signature': signature,
      'x-frappe-webhook-signature': signature,
      'webhook-id': delivery.name,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signMessage(secret, delivery.name, seconds, body),
      'webhook-attempt': String(delivery.attempts + 1),
      'webhook-event': asciiOnly(`${delivery.doctypeName}.${delivery.event}`),
    },
  };
}

// As frozen at the event. A masked value comes from the webhook as it is now; the rules hold here too, because rows
// may have been written before a rule existed.
function customHeaders(delivery: Delivery, target: Target): Record<string, string> {
  const frozen: unknown = JSON.parse(delivery.headers);
  const current = new Map(target.headers.map(({ key, value }) => [key.toLowerCase(), value]));
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(isRecord(frozen) ? frozen : {})) {
    const name = key.toLowerCase();
    const text = value === HEADER_MASK ? current.get(name) : String(value);
    if (text !== undefined && headerProblem(key, text) === null) headers[name] = text;
  }
  return headers;
}

function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => {
    const bytes = [...Buffer.from(character, 'utf8')];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
