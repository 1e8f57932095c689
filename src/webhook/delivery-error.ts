import { BlockedAddressError } from './address-guard.ts';

/**
 * Why an attempt failed, by kind. `local_error` is this machine's fault (no sockets, no network), `proxy_error` that of the
 * proxy or the way to it: neither says anything of the receiver.
 */
export type DeliveryErrorKind =
  | 'blocked_address'
  | 'cancelled'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_error'
  | 'http_status'
  | 'invalid_request'
  | 'invalid_response'
  | 'local_error'
  | 'network_error'
  | 'process_died'
  | 'proxy_error'
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

/** The proxy could not be reached or did not let us through. */
export class ProxyError extends Error {}

/** The connection was not there in time. */
export class ConnectTimeoutError extends Error {}

/** The connection broke off in the TLS handshake. */
export class HandshakeError extends Error {}

/** What came is no answer. */
export class InvalidResponseError extends Error {}

export function deliveryError(kind: DeliveryErrorKind, text: string, final = false): DeliveryError {
  return { kind, text, final };
}

/** Names what went wrong before there was a response. `timeout` is the attempt's, in milliseconds. */
export function classify(failure: unknown, timeout: number): DeliveryError {
  if (failure === TIMED_OUT) return deliveryError('timeout', `no response within ${timeout / 1000} s`);
  if (failure === CANCELLED) return deliveryError('cancelled', 'the server stopped');
  if (failure instanceof BlockedAddressError) return deliveryError('blocked_address', failure.message, true);
  if (failure instanceof InvalidRequestError) return deliveryError('invalid_request', failure.message, true);
  if (failure instanceof ProxyError) return deliveryError('proxy_error', failure.message);
  if (failure instanceof ConnectTimeoutError) return deliveryError('timeout', failure.message);
  if (failure instanceof HandshakeError) return deliveryError('tls_error', failure.message);
  if (failure instanceof InvalidResponseError) return deliveryError('invalid_response', failure.message);
  const error = tellingOf(failure);
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  const kind = KINDS.get(code);
  if (kind) return deliveryError(kind, text, kind === 'invalid_request');
  if (code.startsWith('EAI_')) return deliveryError('dns_error', text);
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return deliveryError('invalid_response', text);
  }
  if (/TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code)) return deliveryError('tls_error', text);
  return deliveryError('network_error', text);
}

const KINDS: ReadonlyMap<string, DeliveryErrorKind> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['UND_ERR_SOCKET', 'connection_reset'],
  ['ENOTFOUND', 'dns_error'],
  ['EADDRNOTAVAIL', 'local_error'],
  ['EMFILE', 'local_error'],
  ['ENETDOWN', 'local_error'],
  ['ENETUNREACH', 'local_error'],
  ['ENFILE', 'local_error'],
  ['ENOBUFS', 'local_error'],
  ['ENOMEM', 'local_error'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_INVALID_ARG', 'invalid_request'],
  ['UND_ERR_NOT_SUPPORTED', 'invalid_request'],
  ['UND_ERR_HEADERS_OVERFLOW', 'invalid_response'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'invalid_response'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'invalid_response'],
]);

// Connecting to a name with several addresses fails with one error for each of them. A network that is not there for the
// one family says less than what the other met.
function tellingOf(failure: unknown): unknown {
  if (!(failure instanceof AggregateError) || failure.errors.length === 0) return failure;
  const told = failure.errors.find((error) => KINDS.get(codeOf(error)) !== 'local_error');
  return told ?? failure.errors[0];
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
