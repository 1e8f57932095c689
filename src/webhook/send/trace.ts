import type { Delivery } from './delivery.ts';
import { withHeader } from './header-rules.ts';

// Version, trace, span and flags of https://www.w3.org/TR/trace-context/; all zeros mean none.
const TRACE = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Parses a `traceparent`; null for an invalid one. */
export function parseTrace(value: unknown): string | null {
  return typeof value === 'string' && TRACE.test(value) ? value : null;
}

/** The headers stored with a delivery, as JSON, with its trace if it has one. */
export function withTrace(headersText: string, given: string | undefined): string {
  const trace = parseTrace(given);
  return trace === null ? headersText : withHeader(headersText, 'traceparent', trace);
}

/**
 * The `traceparent` of one attempt: the trace of the document's change, or one shared by all attempts of the
 * delivery. Each attempt is a span of its own.
 */
export function traceHeader(delivery: Delivery, trace: string | null): string {
  const span = hex(delivery.id, 12) + hex(delivery.attempts + 1, 4);
  if (trace !== null) return `${trace.slice(0, 36)}${span}${trace.slice(52)}`;
  // The end of a name is random and unique.
  const id = Buffer.from(delivery.messageId.slice(-16).padStart(16, '0'), 'latin1').toString('hex');
  return `00-${id}-${span}-00`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0').slice(-digits);
}
