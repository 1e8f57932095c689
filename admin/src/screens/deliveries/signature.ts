/** A received request and the secret to check it with. */
export interface Received {
  readonly secret: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** From any of the headers: base64, `sha256=…`, or `v1,…`; several are separated by spaces. */
  readonly signature: string;
  /** `webhook-id` and `webhook-timestamp`. Signatures of the form `v1,…` include them. */
  readonly id: string;
  readonly timestamp: string;
}

/** Resolves to the header whose signature matches body and secret; null if none matches. */
export async function checkSignature(received: Received): Promise<'body' | 'hub' | 'standard' | null> {
  const given = received.signature.trim();
  if (given === '' || received.secret === '') return null;
  const plain = await hmac(encoded(received.secret), received.bytes);
  if (given.toLowerCase() === `sha256=${hex(plain)}`) return 'hub';
  if (given === base64(plain)) return 'body';
  const standard = await standardSignature(received);
  return given.split(/\s+/).includes(standard) ? 'standard' : null;
}

/** The value of `X-Service-Webhook-Signature` for a body. */
export async function bodySignature(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return base64(await hmac(encoded(secret), bytes));
}

/** One entry of `webhook-signature`. */
export async function standardSignature({
  secret,
  bytes,
  id,
  timestamp,
}: Pick<Received, 'secret' | 'bytes' | 'id' | 'timestamp'>): Promise<string> {
  const head = encoded(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + bytes.length);
  message.set(head);
  message.set(bytes, head.length);
  return `v1,${base64(await hmac(keyOf(secret), message))}`;
}

/** Browsers offer cryptography only in secure contexts: HTTPS or localhost. */
export function canSign(): boolean {
  return typeof crypto !== 'undefined' && 'subtle' in crypto && crypto.subtle !== undefined;
}

// The bytes encoded after `whsec_`. Any other secret is used as its literal text.
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith('whsec_')) return encoded(secret);
  try {
    return Uint8Array.from(atob(secret.slice(6)), (character) => character.charCodeAt(0));
  } catch {
    return encoded(secret);
  }
}

async function hmac(key: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes));
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
