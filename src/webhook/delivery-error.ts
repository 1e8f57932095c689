import { BlockedAddressError } from './address-guard.ts';

/** Why an attempt failed, by kind. */
export type DeliveryErrorKind =
  | 'blocked_address'
  | 'cancelled'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_error'
  | 'http_status'
  | 'invalid_request'
  | 'invalid_response'
  | 'network_error'
  | 'redirect'
  | 'timeout'
  | 'tls_error';

export interface DeliveryError {
  readonly kind: DeliveryErrorKind;
  /** A sentence for the log, without secrets. */
  readonly text: string;
  /** Trying again cannot help: it takes a change of the webhook, the receiver or the settings. */
  readonly final: boolean;
}

/** Reasons to break off an attempt. */
export const TIMED_OUT = Symbol('timed out');
export const CANCELLED = Symbol('cancelled');

/** A request that cannot be made as it stands. */
export class InvalidRequestError extends Error {}

export function deliveryError(kind: DeliveryErrorKind, text: string, final = false): DeliveryError {
  return { kind, text, final };
}

/** Names what went wrong before there was a response. `timeout` is the attempt's, in milliseconds. */
export function classify(failure: unknown, timeout: number): DeliveryError {
  if (failure === TIMED_OUT) return deliveryError('timeout', `no response within ${timeout / 1000} s`);
  if (failure === CANCELLED) return deliveryError('cancelled', 'the server stopped');
  if (failure instanceof BlockedAddressError) return deliveryError('blocked_address', failure.message, true);
  if (failure instanceof InvalidRequestError) return deliveryError('invalid_request', failure.message, true);
  const error = firstOf(failure);
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  const kind = KINDS.get(code);
  if (kind) return deliveryError(kind, text, kind === 'invalid_request');
  if (code.startsWith('EAI_')) return deliveryError('dns_error', text);
  if (error instanceof Error && error.name === 'HTTPParserError')
    return deliveryError('invalid_response', text);
  if (/TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code)) return deliveryError('tls_error', text);
  return deliveryError('network_error', text);
}

const KINDS: ReadonlyMap<string, DeliveryErrorKind> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['UND_ERR_SOCKET', 'connection_reset'],
  ['ENOTFOUND', 'dns_error'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_INVALID_ARG', 'invalid_request'],
  ['UND_ERR_NOT_SUPPORTED', 'invalid_request'],
  ['UND_ERR_HEADERS_OVERFLOW', 'invalid_response'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'invalid_response'],
]);

// Connecting to a name with several addresses fails with one error for each of them.
function firstOf(failure: unknown): unknown {
  return failure instanceof AggregateError && failure.errors.length > 0 ? failure.errors[0] : failure;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
