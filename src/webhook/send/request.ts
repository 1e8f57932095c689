import { memo } from '../../kernel/memo.ts';
import { isRecord } from '../../kernel/value.ts';
import type { TlsMaterial } from '../../net/tls-material.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryRequest } from './delivery-request.ts';
import { HEADER_MASK, isSensitive, sendableHeaders, type WebhookHeader } from './header-rules.ts';
import { type Signing, secretTexts, signatureHeaders } from './sign.ts';
import { parseTrace, traceHeader } from './trace.ts';

/** The settings of a webhook that a request needs. */
export interface RequestTarget {
  /** The timeout of one attempt, milliseconds. */
  readonly timeout: number;
  readonly headers: readonly WebhookHeader[];
  /** TLS material of the webhook; absent or null: none. */
  readonly tls?: TlsMaterial | null;
  /** Also sends GitHub's signature. */
  readonly hubSignature: boolean;
  /** The `webhook-chain` of deliveries that no other delivery caused. */
  readonly chain: string;
}

/** The request of one attempt, signed with the webhook's secrets. `now` is milliseconds since the epoch. */
export function renderRequest(
  delivery: Delivery,
  target: RequestTarget,
  signing: Signing,
  now: number,
): DeliveryRequest {
  const body = Buffer.from(delivery.body, 'utf8');
  const message = { id: delivery.messageId, seconds: Math.floor(now / 1000), body };
  const { custom, secrets, trace, chain } = frozenHeaders(delivery, target, signing);
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
  /** Header values that may be credentials, and the signing secrets. */
  readonly secrets: readonly string[];
  readonly trace: string | null;
  /** Only for a delivery that others caused. */
  readonly chain: string | null;
}

/** Deliveries of a webhook have similar headers: they are parsed once per loaded webhook. */
const frozenOf = memo((_: RequestTarget) => new Map<string, Frozen>());
const KNOWN = 16;

// Headers as frozen at the event. Masked values come from the webhook's present state.
function frozenHeaders(delivery: Delivery, target: RequestTarget, signing: Signing): Frozen {
  const ofTarget = frozenOf(target);
  let frozen = ofTarget.get(delivery.headers);
  if (!frozen) {
    frozen = parseFrozen(delivery.headers, target, signing);
    if (ofTarget.size < KNOWN) ofTarget.set(delivery.headers, frozen);
  }
  return frozen;
}

function parseFrozen(text: string, target: RequestTarget, signing: Signing): Frozen {
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
    secrets: [...sent.filter(([key]) => isSensitive(key)).map(([, value]) => value), ...secretTexts(signing)],
    trace: parseTrace(headers['traceparent']),
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
