import type { Dispatcher } from 'undici';
import { LIMITS } from '../../kernel/limits.ts';
import { type DeliveryError, deliveryError, InvalidResponseError } from './delivery-error.ts';
import { HEADER_MASK, isSensitive } from './header-rules.ts';

/** By name in lower case; a list for a header that occurs more than once. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How reading a response ended: complete, at the size limit, or with an error. */
export type Ending = 'whole' | 'cut' | Error;

/** The most interim responses (1xx) before the final one. */
const MOST_INTERIM = 8;

/**
 * Reads a response up to the byte limit. The status decides the outcome: a body that is incomplete, endless
 * or too long is cut, which is not a failure. The body is never decompressed, so a small one cannot become
 * large.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Of the final response; 0 before its head arrives. */
  status = 0;
  headers: ResponseHeaders = {};
  /** `performance.now()` when the head arrived. */
  headAt = 0;
  /** Part of a response has arrived. */
  hasBegun = false;
  readonly #report: (ending: Ending) => void;
  #isDone = false;
  readonly #kept: Buffer[] = [];
  #size = 0;
  #interim = 0;

  /** Calls `report` once. */
  constructor(report: (ending: Ending) => void) {
    this.#report = report;
  }

  /** The start of the body as text; invalid UTF-8 is replaced. */
  get text(): string {
    const encoding = first(this.headers['content-encoding'])?.trim();
    if (this.#size > 0 && encoding && encoding.toLowerCase() !== 'identity') {
      return `(${this.#size} bytes encoded as ${encoding.slice(0, 100)}, although only identity was accepted)`;
    }
    const [only, ...others] = this.#kept;
    if (!only) return '';
    const bytes = others.length === 0 ? only : Buffer.concat(this.#kept);
    // PostgreSQL's text cannot contain NUL.
    return bytes.subarray(0, LIMITS.deliveryResponseKept).toString('utf8').replaceAll('\0', '\ufffd');
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.hasBegun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MOST_INTERIM) this.#done(new InvalidResponseError('interim responses without end'));
      return;
    }
    this.status = status;
    this.headers = headers;
    this.headAt = performance.now();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < LIMITS.deliveryResponseKept) this.#kept.push(chunk);
    this.#size += chunk.length;
    if (this.#size > LIMITS.deliveryResponseBytes) this.#done('cut');
  }

  onResponseEnd(): void {
    this.#done('whole');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#done(error);
  }

  // Closing the connection at one ending causes another.
  #done(ending: Ending): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#report(ending);
  }
}

/**
 * Response headers for the log: JSON text, bounded, values that may be credentials masked; `mask` hides known
 * ones.
 */
export function headersShown(headers: ResponseHeaders, mask: (text: string) => string): string {
  const shown: Record<string, string> = {};
  let room = LIMITS.deliveryResponseHeadersKept;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    room -= name.length + text.length;
    if (room < 0) break;
    shown[mask(name)] = isSensitive(name) ? HEADER_MASK : mask(text).replaceAll('\0', '\ufffd');
  }
  return JSON.stringify(shown);
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** The pause that the response asks for, in milliseconds. */
export function retryAfterOf(headers: ResponseHeaders): number | null {
  const header = first(headers['retry-after']);
  return header === null ? null : parseRetryAfter(header, Date.now());
}

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds to wait, from seconds or an HTTP date, at most a day; null when absent or invalid. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(wait)) return null;
  return Math.min(DAY, Math.max(0, Math.round(wait)));
}

/**
 * Only a 2xx status is a success. Redirects are not followed; 410 means that the receiver is gone for good.
 */
export function statusError(
  status: number,
  headers: ResponseHeaders,
  mask: (text: string) => string,
): DeliveryError | null {
  if (status >= 200 && status < 300) return null;
  const location = first(headers['location']);
  if (status >= 300 && status < 400 && location !== null) {
    return deliveryError(
      'redirect',
      `status ${status} to ${mask(location).slice(0, 500)}; redirects are not followed`,
    );
  }
  return deliveryError('http_status', `status ${status}`, status === 410);
}
