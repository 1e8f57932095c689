import { isRecord } from '../kernel/value.ts';
import type { DeliveryRequest } from './deliver.ts';
import { HEADER_MASK, isSensitive, sendableHeaders } from './header-rules.ts';
import type { Delivery } from './queue.ts';
import { type Signing, signatureHeaders } from './sign.ts';
import type { Target } from './targets.ts';
import { readTrace, traceHeader } from './trace.ts';

/** What the request of an attempt takes from its webhook. */
export type RequestTarget = Pick<Target, 'timeout' | 'headers' | 'hubSignature' | 'tls' | 'chain'>;

/** The request of one attempt, signed with the webhook's secrets. `now` is milliseconds since the epoch. */
export function renderRequest(
  delivery: Delivery,
  target: RequestTarget,
  signing: Signing,
  now: number,
): DeliveryRequest {
  const body = Buffer.from(delivery.body, 'utf8');
  const message = { id: delivery.messageId, seconds: Math.floor(now / 1000), body };
  const { custom, secrets, trace, chain } = frozenHeaders(delivery, target);
  return {
    method: delivery.method,
    url: delivery.url,
    body,
    timeout: target.timeout,
    tls: target.tls ?? null,
    secrets,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Chancery-Webhook/1',
      ...custom,
      'accept-encoding': 'identity',
      ...signatureHeaders(signing, message, target.hubSignature),
      'webhook-attempt': String(delivery.attempts + 1),
      'webhook-sequence': String(delivery.seq),
      'webhook-event': asciiOnly(`${delivery.doctypeName}.${delivery.event}`),
      'webhook-chain': chain ?? target.chain,
      traceparent: traceHeader(delivery, trace),
    },
  };
}

interface Frozen {
  readonly custom: Readonly<Record<string, string>>;
  /** The values of these that may be credentials. */
  readonly secrets: readonly string[];
  readonly trace: string | null;
  /** Of a delivery that others led to. */
  readonly chain: string | null;
}

/** Deliveries of a webhook are much alike: theirs are looked at once for each reading of the webhook. */
const known = new WeakMap<RequestTarget, Map<string, Frozen>>();
const KNOWN = 16;

// As frozen at the event. A masked value comes from the webhook as it is now.
function frozenHeaders(delivery: Delivery, target: RequestTarget): Frozen {
  let ofTarget = known.get(target);
  if (!ofTarget) {
    ofTarget = new Map();
    known.set(target, ofTarget);
  }
  let frozen = ofTarget.get(delivery.headers);
  if (!frozen) {
    frozen = readFrozen(delivery.headers, target);
    if (ofTarget.size < KNOWN) ofTarget.set(delivery.headers, frozen);
  }
  return frozen;
}

function readFrozen(text: string, target: RequestTarget): Frozen {
  const parsed: unknown = JSON.parse(text);
  const headers = isRecord(parsed) ? parsed : {};
  const current = new Map(target.headers.map(({ key, value }) => [key.toLowerCase(), value]));
  const rows = Object.entries(headers).map(([key, value]) => {
    const shown = String(value);
    return [key, shown === HEADER_MASK ? (current.get(key.toLowerCase()) ?? '') : shown] as const;
  });
  const sent = sendableHeaders(rows);
  const chain = headers['webhook-chain'];
  return {
    custom: Object.fromEntries(sent),
    secrets: sent.filter(([key]) => isSensitive(key)).map(([, value]) => value),
    trace: readTrace(headers['traceparent']),
    chain: typeof chain === 'string' ? chain : null,
  };
}

function asciiOnly(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text;
  return text.replace(/[^\x20-\x7e]/gu, (character) => {
    const bytes = [...Buffer.from(character, 'utf8')];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
