import { LIMITS } from '../../kernel/limits.ts';

// Headers that decide the framing and routing of the message, or that this server sets itself.
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
// Receivers' libraries prefer `svix-id` and its like over `webhook-id`.
const FORBIDDEN_PREFIXES = ['proxy-', 'svix-', 'webhook-'];
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Latin-1 without control characters; tabs are allowed inside.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A custom header of a webhook. */
export interface WebhookHeader {
  readonly key: string;
  readonly value: string;
}

/** A row with an empty key or value is ignored, as in Frappe. */
export function isSkipped(key: string, value: string): boolean {
  return key.trim() === '' || value.trim() === '';
}

/** The reason why a custom header cannot be sent; null when it can. */
export function headerProblem(key: string, value: string): string | null {
  // Many receivers (CGI, WSGI, PHP) cannot distinguish `webhook_id` and `webhook.id` from `webhook-id`.
  const name = key.toLowerCase().replace(/[^a-z0-9]/g, '-');
  if (!TOKEN.test(key)) return 'the key is not a header name';
  if (FORBIDDEN.has(name) || FORBIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix))) {
    return `${key} is set by the server and cannot be replaced`;
  }
  if (!VALUE.test(value)) return `the value of ${key} contains characters that a header cannot carry`;
  if (key.length + value.length > LIMITS.webhookHeaderBytes) {
    return `${key} is longer than ${LIMITS.webhookHeaderBytes} bytes`;
  }
  return null;
}

/** Replaces a header value that may be a credential. */
export const HEADER_MASK = '*'.repeat(10);

/**
 * The valid headers among these, names in lower case: each name once, up to the limit. Checked again when a
 * request is sent, because stored rows may be older than a rule.
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

/** Adds a header of the server to frozen headers, which are JSON. */
export function withHeader(headersText: string, name: string, value: string): string {
  return JSON.stringify({ ...JSON.parse(headersText), [name]: value });
}

// Broad on purpose: masking a harmless value costs nothing, since the sender takes it from the webhook.
const SENSITIVE = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

/** True when the value may be a credential. The log then never contains it. */
export function isSensitive(key: string): boolean {
  return SENSITIVE.test(key);
}
