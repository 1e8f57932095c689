import { LIMITS } from '../kernel/limits.ts';

// What decides how the message is framed and routed, and what carries our own statements about it.
const FORBIDDEN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-frappe-webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-service-webhook-signature',
  'x-service-webhook-signature-next',
]);
// Libraries of receivers prefer `svix-id` and its kin over `webhook-id`.
const FORBIDDEN_PREFIXES = ['proxy-', 'svix-', 'webhook-'];
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Latin-1 without control characters; a tab may stand inside.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A row with an empty key or value stands for no header, as in Frappe. */
export function isSkipped(key: string, value: string): boolean {
  return key.trim() === '' || value.trim() === '';
}

/** Why a custom header cannot be sent; null when it can. */
export function headerProblem(key: string, value: string): string | null {
  // Many a receiver (CGI, WSGI, PHP) cannot tell `webhook_id` and `webhook.id` from `webhook-id`.
  const name = key.toLowerCase().replace(/[^a-z0-9]/g, '-');
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

/**
 * The headers of these that can be sent, names in lower case: each name once, no more than fit. Rules hold when a request is
 * sent, too: rows may have been written before a rule existed.
 */
export function sendableHeaders(
  rows: readonly (readonly [key: string, value: string])[],
): [string, string][] {
  const sendable = new Map<string, string>();
  let room: number = LIMITS.webhookHeadersBytes;
  for (const [key, value] of rows) {
    const name = key.toLowerCase();
    if (sendable.size >= LIMITS.webhookHeaders || sendable.has(name)) continue;
    if (isSkipped(key, value) || headerProblem(key, value) !== null) continue;
    room -= key.length + value.length;
    if (room < 0) break;
    sendable.set(name, value.trim());
  }
  return [...sendable];
}

/** Frozen headers, as JSON, with one of the server's own beside them. */
export function withHeader(headersText: string, name: string, value: string): string {
  return JSON.stringify({ ...JSON.parse(headersText), [name]: value });
}

// Broad on purpose: a value hidden without need costs nothing, since sending takes it from the webhook.
const SENSITIVE = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

/** May the value be a credential? Then the log never holds it. */
export function isSensitive(key: string): boolean {
  return SENSITIVE.test(key);
}
