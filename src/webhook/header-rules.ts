import { LIMITS } from '../kernel/limits.ts';

// What decides how the message is framed and routed, and what carries our own statements about it.
const FORBIDDEN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-frappe-webhook-signature',
  'x-hub-signature-256',
  'x-service-webhook-signature',
  'x-service-webhook-signature-next',
]);
const FORBIDDEN_PREFIXES = ['proxy-', 'webhook-'];
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Latin-1 without control characters; a tab may stand inside.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A row with an empty key or value stands for no header, as in Frappe. */
export function isSkipped(key: string, value: string): boolean {
  return key.trim() === '' || value.trim() === '';
}

/** Why a custom header cannot be sent; null when it can. */
export function headerProblem(key: string, value: string): string | null {
  const name = key.toLowerCase();
  if (!TOKEN.test(key)) return 'the key is not a header name';
  if (FORBIDDEN.has(name) || FORBIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix))) {
    return `${key} is set by the server and cannot be replaced`;
  }
  if (!VALUE.test(value)) return `the value of ${key} holds characters that a header cannot carry`;
  if (key.length + value.length > LIMITS.webhookHeaderBytes) {
    return `${key} is longer than ${LIMITS.webhookHeaderBytes} bytes`;
  }
  return null;
}

/** Shown in place of a header value that may be a credential. */
export const HEADER_MASK = '*'.repeat(10);

// Broad on purpose: a value hidden without need costs nothing, since sending takes it from the webhook.
const SENSITIVE = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

/** May the value be a credential? Then the log never holds it. */
export function isSensitive(key: string): boolean {
  return SENSITIVE.test(key);
}
