import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../../kernel/random.ts';

/** The prefix of generated secrets, as in Standard Webhooks; the rest is base64. */
export const SECRET_PREFIX = 'whsec_';

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(random: Random): string {
  return SECRET_PREFIX + random.bytes(32).toString('base64');
}

/** The keys of a secret. */
export interface SigningKey {
  /** Its text: for signatures over the body alone. */
  readonly body: KeyObject;
  /**
   * For Standard Webhooks: the bytes encoded in a `whsec_` secret. A secret without that prefix (or whose
   * rest is not base64) is used as text; receivers then set `format: raw`.
   */
  readonly message: KeyObject;
}

export function signingKey(secret: string): SigningKey {
  const body = createSecretKey(secret, 'utf8');
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const isEncoded = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  return { body, message: isEncoded ? createSecretKey(encoded, 'base64') : body };
}

/** The secrets of a webhook that are valid at a time. */
export interface Signing {
  /** Signs where there is room for one signature. */
  readonly alone: SigningKey;
  /** Replaces `alone` when all receivers know it; null when there is no other. */
  readonly next: SigningKey | null;
  /** All valid secrets, newest first. */
  readonly all: readonly SigningKey[];
}

/** The texts of all valid secrets, which no log may contain. */
export function secretTexts({ all }: Signing): readonly string[] {
  return all.map(({ body }) => body.export().toString('utf8'));
}

/**
 * The signature headers of one attempt, over exactly these bytes. `seconds` since the epoch; `hub`: adds
 * GitHub's.
 */
export function signatureHeaders(
  signing: Signing,
  message: { readonly id: string; readonly seconds: number; readonly body: Uint8Array },
  hub: boolean,
): Record<string, string> {
  const { id, seconds, body } = message;
  const digest = createHmac('sha256', signing.alone.body).update(body).digest();
  const signature = digest.toString('base64');
  const headers: Record<string, string> = {
    'x-service-webhook-signature': signature,
    'x-frappe-webhook-signature': signature,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signing.all.map((key) => signMessage(key, id, seconds, body)).join(' '),
  };
  if (signing.next) headers['x-service-webhook-signature-next'] = signBody(signing.next, body);
  if (hub) headers['x-hub-signature-256'] = `sha256=${digest.toString('hex')}`;
  return headers;
}

/** `X-Service-Webhook-Signature`: base64 HMAC-SHA256 of the exact body, keyed with the secret's text. */
export function signBody(key: SigningKey, body: Uint8Array): string {
  return createHmac('sha256', key.body).update(body).digest('base64');
}

/** `webhook-signature` of Standard Webhooks: over `id.timestamp.body`. `timestamp` is in seconds. */
export function signMessage(key: SigningKey, id: string, timestamp: number, body: Uint8Array): string {
  const hmac = createHmac('sha256', key.message);
  hmac.update(`${id}.${timestamp}.`);
  hmac.update(body);
  return `v1,${hmac.digest('base64')}`;
}
