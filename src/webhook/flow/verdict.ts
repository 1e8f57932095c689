import type { Outcome } from '../deliver.ts';

/** What an outcome says about the receiver's origin, beyond its delivery. */
export interface Verdict {
  /** `good`: it answers, though it may have refused this delivery; `bad`: it fails or asks for less; `none`: nothing was learned. */
  readonly origin: 'good' | 'bad' | 'none';
  /**
   * `answered`: bytes came back, so this machine's network works; `unreached`: no connection came about, which may be the fault of
   * either side; `own`: this machine is short of something; `none`: neither was learned.
   */
  readonly network: 'answered' | 'unreached' | 'own' | 'none';
}

const GOOD: Verdict = { origin: 'good', network: 'answered' };
const OVERLOADED: Verdict = { origin: 'bad', network: 'answered' };
const BROKEN: Verdict = { origin: 'bad', network: 'none' };
const UNREACHED: Verdict = { origin: 'bad', network: 'unreached' };
const OWN: Verdict = { origin: 'none', network: 'own' };
const NOTHING: Verdict = { origin: 'none', network: 'none' };

/** Codes of failures that come from this machine and not from the receiver. */
const SHORTAGE = /\b(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)\b/;
const NO_ROUTE = /\b(?:ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN)\b|\bEAI_/;

/** Reads an outcome. A refused connection is an answer of the receiver's host, so it says nothing against this machine's network. */
export function verdictOf({ error, status, remoteIp }: Outcome): Verdict {
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
      return UNREACHED;
    case 'timeout':
      return remoteIp === null ? UNREACHED : BROKEN;
    case 'network_error':
      return NO_ROUTE.test(error.text) ? UNREACHED : BROKEN;
    default:
      return BROKEN;
  }
}
