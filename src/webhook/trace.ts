import { withHeader } from './header-rules.ts';
import type { Delivery } from './queue.ts';

// Version, trace, span and flags of https://www.w3.org/TR/trace-context/; all zeros stand for none.
const TRACE = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` as it came; null for what is none. */
export function readTrace(value: unknown): string | null {
  return typeof value === 'string' && TRACE.test(value) ? value : null;
}

/** The headers that a delivery keeps, as JSON, with the trace that it is part of, where it is part of one. */
export function withTrace(headersText: string, given: string | undefined): string {
  const trace = readTrace(given);
  return trace === null ? headersText : withHeader(headersText, 'traceparent', trace);
}

/**
 * `traceparent` of one attempt: of the trace that the document's change was part of, or of one that all attempts of the delivery
 * share. Each attempt is a span of its own.
 */
export function traceHeader(delivery: Delivery, trace: string | null): string {
  const span = hex(delivery.id, 12) + hex(delivery.attempts + 1, 4);
  if (trace !== null) return `${trace.slice(0, 36)}${span}${trace.slice(52)}`;
  // The end of a name is random, and no two have the same.
  const id = Buffer.from(delivery.messageId.slice(-16).padStart(16, '0'), 'latin1').toString('hex');
  return `00-${id}-${span}-00`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0').slice(-digits);
}
