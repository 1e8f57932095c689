/** A received webhook request. */
export interface ReceivedWebhook {
  /** The headers of the request: `Headers`, or an object with names in lower case as in Node. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as received, before any JSON parsing. */
  readonly body: string | Uint8Array;
  /** The webhook's secret; several during a rotation. */
  readonly secret: string | readonly string[];
  /** Seconds by which the request's timestamp may differ from now; default 300. */
  readonly tolerance?: number;
  /** Milliseconds since 1970, in place of the clock. */
  readonly now?: number;
}

/** A verified webhook. */
export interface WebhookEvent<T = Readonly<Record<string, unknown>>> {
  /** The same for all attempts of a delivery: drop ids that you have seen. */
  readonly id: string;
  readonly doctype: string;
  /** `after_insert`, `on_update`, … */
  readonly event: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Grows with each delivery of the webhook, with gaps, and stays the same over its attempts; 0 when absent.
   * Of two deliveries about a document, the newer one has the greater number.
   */
  readonly sequence: number;
  /**
   * The number of deliveries that led to this one. Send `{ because: event }` with the changes that you make
   * in response.
   */
  readonly chain: number;
  /** The header `webhook-chain` as received, for `because`. */
  readonly chainHeader: string;
  /** The document, or the chosen fields. */
  readonly data: T;
}

/** The request failed verification. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

/**
 * Verifies the sender of a webhook by the signature of Standard Webhooks, with its timestamp, and by the
 * signature over the body alone. Every signature that is present must be valid, and a request without any is
 * refused.
 * @throws WebhookVerificationError (a rejection) unless the request is authentic
 */
export async function verify<T = Readonly<Record<string, unknown>>>(
  webhook: ReceivedWebhook,
): Promise<WebhookEvent<T>> {
  const header = (name: string) => headerOf(webhook.headers, name);
  const body = typeof webhook.body === 'string' ? new TextEncoder().encode(webhook.body) : webhook.body;
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  const plain = header('x-service-webhook-signature') ?? header('x-frappe-webhook-signature');
  const next = header('x-service-webhook-signature-next');
  const secrets = typeof webhook.secret === 'string' ? [webhook.secret] : webhook.secret;
  const isStandard = id !== null && time !== null && signatures !== null;
  if (!isStandard && plain === null) throw new WebhookVerificationError('The request has no signature');
  if (isStandard && id !== undefined && time !== undefined && signatures !== undefined) {
    checkTime(time, webhook);
    const signed = joined(`${id}.${time}.`, body);
    const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
    await requireSignature(secrets.map(messageKey), signed, given);
  }
  if (plain !== null) {
    const keys = secrets.map((secret) => new TextEncoder().encode(secret));
    await requireSignature(keys, body, next === null ? [plain] : [plain, next]);
  }
  const name = header('webhook-event') ?? '';
  const dot = name.lastIndexOf('.');
  return {
    id: id ?? '',
    doctype: decoded(name.slice(0, Math.max(dot, 0))),
    event: name.slice(dot + 1),
    attempt: Number(header('webhook-attempt') ?? 1),
    sequence: Number(header('webhook-sequence') ?? 0),
    chain: Number.parseInt(header('webhook-chain') ?? '0', 10),
    chainHeader: header('webhook-chain') ?? '',
    data: parsed(body) as T,
  };
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? null);
}

function checkTime(time: string, { tolerance = 300, now = Date.now() }: ReceivedWebhook): void {
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  // The negation also fails for NaN.
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new WebhookVerificationError('The timestamp of the request is too far from the current time');
  }
}

async function requireSignature(
  keys: readonly Uint8Array[],
  signed: Uint8Array,
  given: readonly string[],
): Promise<void> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', bytesOf(key), algorithm, false, ['verify']);
    for (const signature of given) {
      const bytes = fromBase64(signature);
      if (bytes && (await crypto.subtle.verify('HMAC', imported, bytes, bytesOf(signed)))) return;
    }
  }
  throw new WebhookVerificationError('The signature is wrong');
}

// As on the server: `whsec_` and base64 stands for bytes, any other secret for its text.
function messageKey(secret: string): Uint8Array {
  const encoded = secret.startsWith('whsec_') ? secret.slice(6) : '';
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? fromBase64(encoded) : null;
  return bytes ?? new TextEncoder().encode(secret);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(head: string, body: Uint8Array): Uint8Array {
  const start = new TextEncoder().encode(head);
  const all = new Uint8Array(start.length + body.length);
  all.set(start);
  all.set(body, start.length);
  return all;
}

// Web Crypto accepts no memory that is shared between threads.
function bytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new WebhookVerificationError('The body is not JSON');
  }
}
