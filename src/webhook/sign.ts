import { createHmac } from 'node:crypto';
import type { Random } from '../kernel/random.ts';

/** How generated secrets begin, as Standard Webhooks has it; the rest is base64. */
const SECRET_PREFIX = 'whsec_';

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(random: Random): string {
  return SECRET_PREFIX + random.bytes(32).toString('base64');
}

/** `X-Service-Webhook-Signature`: base64 HMAC-SHA256 of the exact body, keyed with the secret's text. */
export function signBody(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/**
 * `webhook-signature` of Standard Webhooks: over `id.timestamp.body`, keyed with the bytes that a `whsec_` secret
 * encodes. A secret without that prefix (or whose rest is not base64) is used as text; receivers then say `format: raw`.
 */
export function signMessage(secret: string, id: string, timestamp: number, body: Uint8Array): string {
  const hmac = createHmac('sha256', messageKey(secret));
  hmac.update(`${id}.${timestamp}.`);
  hmac.update(body);
  return `v1,${hmac.digest('base64')}`;
}

function messageKey(secret: string): Buffer {
  if (secret.startsWith(SECRET_PREFIX)) {
    const encoded = secret.slice(SECRET_PREFIX.length);
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return Buffer.from(encoded, 'base64');
  }
  return Buffer.from(secret, 'utf8');
}
