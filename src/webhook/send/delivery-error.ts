import { BlockedAddressError } from '../../net/address-guard.ts';
import { ConnectTimeoutError, HandshakeError, ProxyError } from '../../net/connect-error.ts';

/**
 * Kinds of failed attempts. `local_error` is this machine's fault (no sockets, no network), `proxy_error` the
 * fault of the proxy or the connection to it: neither tells anything about the receiver.
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
  /** A retry cannot help: the webhook, the receiver or the settings must change. */
  readonly final: boolean;
}

/** Reasons to abort an attempt. */
export const TIMED_OUT = Symbol('timed out');
export const CANCELLED = Symbol('cancelled');

/** The request is invalid and cannot be sent. */
export class InvalidRequestError extends Error {}

/** The response is invalid. */
export class InvalidResponseError extends Error {}

export function deliveryError(kind: DeliveryErrorKind, text: string, final = false): DeliveryError {
  return { kind, text, final };
}

/** Classifies a failure without a response. `timeout` is the attempt's, in milliseconds. */
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

// Connecting to a name with several addresses fails with one error each. An unreachable network of one
// address family tells less than the error of the other.
function tellingOf(failure: unknown): unknown {
  if (!(failure instanceof AggregateError) || failure.errors.length === 0) return failure;
  const told = failure.errors.find((error) => KINDS.get(codeOf(error)) !== 'local_error');
  return told ?? failure.errors[0];
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
