import type { DeliveryErrorKind } from '../send/delivery-error.ts';
import type { Outcome } from '../send/delivery-request.ts';

/** What an outcome tells about the receiver's origin and the network. */
export interface SendVerdict {
  /**
   * `good`: it answers, even if it refused this delivery; `bad`: it fails or asks for less; `none`: unknown.
   */
  readonly origin: 'good' | 'bad' | 'none';
  /**
   * `answered`: bytes came back, so this machine's network works; `unreached`: no connection, which may be
   * the fault of either side; `own`: this machine lacks a resource; `none`: unknown.
   */
  readonly network: 'answered' | 'unreached' | 'own' | 'none';
}

const GOOD: SendVerdict = { origin: 'good', network: 'answered' };
const OVERLOADED: SendVerdict = { origin: 'bad', network: 'answered' };
const BROKEN: SendVerdict = { origin: 'bad', network: 'none' };
const UNREACHED: SendVerdict = { origin: 'bad', network: 'unreached' };
const OWN: SendVerdict = { origin: 'none', network: 'own' };
const NOTHING: SendVerdict = { origin: 'none', network: 'none' };

/** Error codes of this machine, not of the receiver. */
const SHORTAGE = /\b(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)\b/;
const NO_ROUTE = /\b(?:EHOSTUNREACH|EHOSTDOWN)\b/;
/** Kinds of failures before anything reached the receiver. */
const OURS: ReadonlySet<DeliveryErrorKind> = new Set(['blocked_address', 'local_error', 'proxy_error']);

/**
 * True for a failure of this machine, its proxy or a setting, however long it lasts: the receiver must not be
 * disabled for it.
 */
export function isOurFault({ error }: Outcome): boolean {
  return error !== null && OURS.has(error.kind);
}

/**
 * Classifies an outcome. A refused connection is an answer of the receiver's host, so this machine's network
 * works.
 */
export function verdictOf({ error, status, remoteIp }: Outcome): SendVerdict {
  if (!error) return GOOD;
  if (SHORTAGE.test(error.text) && status === 0) return OWN;
  switch (error.kind) {
    case 'http_status':
      return status >= 500 || status === 429 || status === 408 ? OVERLOADED : GOOD;
    case 'redirect':
      return GOOD;
    case 'blocked_address':
    case 'cancelled':
    case 'invalid_request':
    case 'process_died':
      return NOTHING;
    case 'dns_error':
    case 'local_error':
    case 'proxy_error':
      return UNREACHED;
    case 'timeout':
      return remoteIp === null ? UNREACHED : BROKEN;
    case 'network_error':
      return NO_ROUTE.test(error.text) ? UNREACHED : BROKEN;
    default:
      return BROKEN;
  }
}
