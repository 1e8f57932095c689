import type { Dispatcher } from 'undici';
import { LIMITS } from '../kernel/limits.ts';
import { type DeliveryError, deliveryError } from './delivery-error.ts';

/** What is kept of a response. */
export interface DeliveryResponse {
  readonly status: number;
  /** The start of the body, as text; what is not UTF-8 is replaced. */
  readonly text: string;
  readonly location: string | null;
  /** Milliseconds from now that `Retry-After` asks for, at most a day. */
  readonly retryAfter: number | null;
}

/**
 * Reads a response up to the byte limit. The status line has decided by then: a body that breaks off, never ends or
 * is too long is cut, and no failure.
 */
export async function readResponse(data: Dispatcher.ResponseData): Promise<DeliveryResponse> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of data.body as AsyncIterable<Buffer>) {
      if (size < LIMITS.deliveryResponseKept) kept.push(chunk);
      size += chunk.length;
      if (size > LIMITS.deliveryResponseBytes) break;
    }
  } catch {
    // Reset, malformed, or past the deadline: the part that came is kept.
  }
  const bytes = Buffer.concat(kept).subarray(0, LIMITS.deliveryResponseKept);
  return {
    status: data.statusCode,
    // PostgreSQL's text holds no NUL.
    text: bytes.toString('utf8').replaceAll('\0', '\ufffd'),
    location: first(data.headers['location']),
    retryAfter: parseRetryAfter(first(data.headers['retry-after']), Date.now()),
  };
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds to wait: seconds or an HTTP date, at most a day; null when absent or not understood. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(wait)) return null;
  return Math.min(DAY, Math.max(0, Math.round(wait)));
}

/** Only a 2xx status is a success; a redirect is not followed, and 410 says that nobody will ever listen again. */
export function statusError(response: DeliveryResponse): DeliveryError | null {
  const { status, location } = response;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400 && location !== null) {
    return deliveryError(
      'redirect',
      `status ${status} to ${location.slice(0, 500)}; redirects are not followed`,
    );
  }
  return deliveryError('http_status', `status ${status}`, status === 410);
}
