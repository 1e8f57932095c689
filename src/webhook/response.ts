import type { Dispatcher } from 'undici';
import { LIMITS } from '../kernel/limits.ts';
import { type DeliveryError, deliveryError, InvalidResponseError } from './delivery-error.ts';
import { HEADER_MASK, isSensitive } from './header-rules.ts';

/** By name in lower case; a list for what came more than once. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How reading a response ended: as a whole, at the limit of what is read, or by an error. */
export type Ending = 'whole' | 'cut' | Error;

/** Interim responses (1xx) before the one that counts, at most. */
const MOST_INTERIM = 8;

/**
 * Reads a response up to the byte limit. The status line decides: a body that breaks off, never ends or is too long is
 * cut, and no failure. It is taken as it comes, never unpacked: what is small on the way cannot be large here.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Of the response that counts; 0 before its head is here. */
  status = 0;
  headers: ResponseHeaders = {};
  /** `performance.now()` when the head was here. */
  headAt = 0;
  /** Something of a response came. */
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

  /** The start of the body, as text; what is not UTF-8 is replaced. */
  get text(): string {
    const encoding = first(this.headers['content-encoding'])?.trim();
    if (this.#size > 0 && encoding && encoding.toLowerCase() !== 'identity') {
      return `(${this.#size} bytes encoded as ${encoding.slice(0, 100)}, although only identity was accepted)`;
    }
    const [only, ...others] = this.#kept;
    if (!only) return '';
    const bytes = others.length === 0 ? only : Buffer.concat(this.#kept);
    // PostgreSQL's text holds no NUL.
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

  // Closing the connection on one ending brings another.
  #done(ending: Ending): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#report(ending);
  }
}

/** Response headers as they are logged: JSON text, bounded, values that may be credentials masked; `mask` hides known ones. */
export function headersShown(headers: ResponseHeaders, mask: (text: string) => string): string {
  const shown: Record<string, string> = {};
  let room = LIMITS.deliveryResponseHeadersKept;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    room -= name.length + text.length;
    if (room < 0) break;
    shown[name] = isSensitive(name) ? HEADER_MASK : mask(text).replaceAll('\0', '\ufffd');
  }
  return JSON.stringify(shown);
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** Milliseconds that the response asks to be left alone. */
export function retryAfterOf(headers: ResponseHeaders): number | null {
  const header = first(headers['retry-after']);
  return header === null ? null : parseRetryAfter(header, Date.now());
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
