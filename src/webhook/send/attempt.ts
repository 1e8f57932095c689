import type { Dispatcher } from 'undici';
import { Connection } from './connection.ts';
import type { ConnectionPool, Destination } from './connection-pool.ts';
import { CANCELLED, classify, TIMED_OUT } from './delivery-error.ts';
import type { DeliveryRequest, Outcome, Timings } from './delivery-request.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type Ending, headersShown, ResponseReader, retryAfterOf, statusError } from './response.ts';

/**
 * One attempt from start to outcome, under a single deadline. Uses one connection at a time, and keeps it for
 * the next attempt only if this one ended in order.
 */
export class Attempt {
  readonly #request: DeliveryRequest;
  readonly #settle: (outcome: Outcome) => void;
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #origin: ConnectionPool | null = null;
  #connection: Connection | null = null;
  #reader: ResponseReader | null = null;
  #isOver = false;

  /** Calls `settle` once. */
  constructor(request: DeliveryRequest, settle: (outcome: Outcome) => void) {
    this.#request = request;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.fail(TIMED_OUT), request.timeout);
  }

  begin(place: Destination, origin: ConnectionPool): void {
    this.#origin = origin;
    origin.inUse += 1;
    const { method, headers, body } = this.#request;
    const options = { path: place.path, method: method as Dispatcher.HttpMethod, headers, body };
    this.#dispatch(origin.idle.pop() ?? new Connection(place.origin, origin.way), options, (ending) => {
      // The receiver closed an idle connection: that tells nothing about its health.
      if (!isStale(ending, this.#reader, this.#connection)) return this.#ended(ending);
      void this.#connection?.destroy();
      const fresh = new Connection(place.origin, origin.way);
      this.#dispatch(fresh, options, (second) => this.#ended(second));
    });
  }

  cancel(): void {
    this.fail(CANCELLED);
  }

  /** Ends the attempt now. Keeps what arrived of a response. */
  fail(failure: unknown): void {
    if (this.#isOver) return;
    if (this.#reader && this.#reader.status > 0 && failure !== CANCELLED) this.#finish(null, true);
    else this.#finish(failure, false);
    void this.#connection?.destroy();
  }

  #dispatch(
    connection: Connection,
    options: Dispatcher.DispatchOptions,
    ended: (ending: Ending) => void,
  ): void {
    const reader = new ResponseReader((ending) => {
      if (!this.#isOver && this.#reader === reader) ended(ending);
    });
    this.#connection = connection;
    this.#reader = reader;
    connection.dispatch(options, reader);
  }

  #ended(ending: Ending): void {
    if (ending !== 'whole') {
      this.fail(ending);
      return;
    }
    if (this.#connection) this.#origin?.idle.push(this.#connection);
    this.#finish(null, false);
  }

  /** `failure` null: the status decides. */
  #finish(failure: unknown, isTruncated: boolean): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#origin) this.#origin.inUse -= 1;
    const reader = failure === null ? this.#reader : null;
    const { status, headers } = reader ?? { status: 0, headers: {} };
    const mask = (text: string, isCut = false) => maskSecrets(text, this.#request.secrets ?? [], isCut);
    const millis = Math.round(performance.now() - this.#begun);
    this.#settle({
      error: reader ? statusError(status, headers, mask) : classify(failure, this.#request.timeout),
      status,
      response: reader && mask(reader.text, true),
      responseHeaders: reader && headersShown(headers, mask),
      isTruncated,
      remoteIp: this.#connection?.remoteIp ?? null,
      retryAfter: retryAfterOf(headers),
      timings: this.#timings(),
      millis,
    });
  }

  #timings(): Timings | null {
    if (!this.#connection) return null;
    const { opened } = this.#connection;
    const headAt = this.#reader?.headAt ?? 0;
    const opening = opened ? (opened.dns ?? 0) + opened.connect + (opened.tls ?? 0) : 0;
    return {
      dns: rounded(opened?.dns),
      connect: rounded(opened?.connect),
      tls: rounded(opened?.tls),
      ttfb: headAt > 0 ? rounded(Math.max(0, headAt - this.#begun - opening)) : null,
    };
  }
}

function rounded(millis: number | null | undefined): number | null {
  return millis === null || millis === undefined ? null : Math.round(millis);
}

const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

// True for an error on a reused connection before the first byte of a response.
function isStale(ending: Ending, reader: ResponseReader | null, connection: Connection | null): boolean {
  if (!(ending instanceof Error) || reader?.hasBegun || connection?.opened) return false;
  return 'code' in ending && CLOSED.has(ending.code);
}
