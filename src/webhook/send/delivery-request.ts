import type { TlsMaterial } from '../../net/tls-material.ts';
import type { DeliveryError } from './delivery-error.ts';

export interface DeliveryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials among the headers, which no log may contain; absent: none. */
  readonly secrets?: readonly string[];
  readonly body: Uint8Array;
  /** For the whole attempt: resolve, connect, send, and read the response with its body. Milliseconds. */
  readonly timeout: number;
  /** Absent or null: the default certificate authorities, and no client certificate. */
  readonly tls?: TlsMaterial | null;
}

/**
 * Durations of the steps of an attempt in milliseconds; null for a step that did not happen, as on an open
 * connection.
 */
export interface Timings {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From sending to the head of the response. */
  readonly ttfb: number | null;
}

/** The result of one attempt. A failure is a value, never an exception. */
export interface Outcome {
  /** Null when delivered. */
  readonly error: DeliveryError | null;
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The start of the response body; null when there was no response. */
  readonly response: string | null;
  /** The response's headers as JSON text, bounded and masked; absent or null when there was no response. */
  readonly responseHeaders?: string | null;
  /** The response was incomplete or above the limit, after its status had decided the outcome. */
  readonly isTruncated?: boolean;
  /** Null without a connection, and behind a proxy. */
  readonly remoteIp: string | null;
  /** The pause that the receiver asked for, in milliseconds, at most a day. */
  readonly retryAfter: number | null;
  /** Absent or null when nothing was sent. */
  readonly timings?: Timings | null;
  readonly millis: number;
}
