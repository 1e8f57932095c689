import { isIP } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { LIMITS } from '../kernel/limits.ts';
import { type AddressGuard, BlockedAddressError } from './address-guard.ts';
import { CANCELLED, classify, type DeliveryError, InvalidRequestError, TIMED_OUT } from './delivery-error.ts';
import { type DeliveryResponse, readResponse, statusError } from './response.ts';

export interface DeliveryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** For the whole attempt: resolving, connecting, sending, and the response with its body. Milliseconds. */
  readonly timeout: number;
}

/** What came of one attempt. A failure is a value, never an exception. */
export interface Outcome {
  /** Null when delivered. */
  readonly error: DeliveryError | null;
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The start of the response body; null when there was no response. */
  readonly response: string | null;
  readonly remoteIp: string | null;
  /** Milliseconds that the receiver asked to be left alone, at most a day. */
  readonly retryAfter: number | null;
  readonly millis: number;
}

export interface Sender {
  send(request: DeliveryRequest): Promise<Outcome>;
  /** Breaks off every connection, those in use included: their attempts end as `cancelled`. */
  close(): Promise<void>;
}

/** Connections to one scheme, host and port. */
interface Origin {
  readonly pool: Pool;
  remoteIp: string | null;
  inUse: number;
}

/** Sends deliveries over keep-alive connections, to addresses that the guard allows. */
export function createSender(guard: AddressGuard): Sender {
  const origins = new Map<string, Origin>();
  const staleErrors = new WeakSet<object>();
  const closing = new AbortController();

  function originOf(url: URL): Origin {
    let origin = origins.get(url.origin);
    // Moved to the end: the map's order is that of last use.
    if (origin) origins.delete(url.origin);
    else {
      const made: Origin = {
        pool: new Pool(
          url.origin,
          poolOptions(() => made),
        ),
        remoteIp: null,
        inUse: 0,
      };
      origin = made;
    }
    origins.set(url.origin, origin);
    for (const [key, idle] of origins) {
      if (origins.size <= LIMITS.deliveryOrigins) break;
      if (idle.inUse > 0) continue;
      origins.delete(key);
      void idle.pool.destroy();
    }
    return origin;
  }

  function poolOptions(origin: () => Origin): Pool.Options {
    return {
      connections: LIMITS.deliveriesPerWebhook,
      pipelining: 1,
      connect: connectorOf(origin),
      // The one deadline of an attempt stands in for all of undici's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  function connectorOf(origin: () => Origin): buildConnector.connector {
    const connect = buildConnector({
      timeout: LIMITS.deliveryConnectTimeout,
      allowH2: false,
      lookup: guard.lookup,
    });
    return (options, callback) =>
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        const address = socket.remoteAddress ?? '';
        if (!guard.allows(address)) {
          socket.destroy();
          return callback(new BlockedAddressError(address), null);
        }
        origin().remoteIp = address;
        // A socket that served before may have been closed by its peer while idle: that says nothing of the receiver.
        socket.prependListener('error', (failure: object) => {
          if (socket.bytesRead > 0) staleErrors.add(failure);
        });
        callback(null, socket);
      });
  }

  async function exchange(origin: Origin, options: Dispatcher.RequestOptions): Promise<DeliveryResponse> {
    try {
      return await readResponse(await origin.pool.request(options));
    } catch (error) {
      if (!(error instanceof Error) || !staleErrors.has(error)) throw error;
    }
    const fresh = new Client(
      new URL(options.origin ?? ''),
      poolOptions(() => origin),
    );
    try {
      return await readResponse(await fresh.request(options));
    } finally {
      void fresh.destroy();
    }
  }

  return {
    async send(request) {
      const started = performance.now();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(TIMED_OUT), request.timeout);
      const cancel = () => deadline.abort(CANCELLED);
      closing.signal.addEventListener('abort', cancel);
      let origin: Origin | null = null;
      try {
        const url = parseTarget(request.url, guard);
        origin = originOf(url);
        origin.inUse++;
        const response = await exchange(origin, {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers,
          body: request.body,
          signal: deadline.signal,
        });
        return {
          error: statusError(response),
          status: response.status,
          response: response.text,
          remoteIp: origin.remoteIp,
          retryAfter: response.retryAfter,
          millis: since(started),
        };
      } catch (failure) {
        const cause = deadline.signal.aborted ? deadline.signal.reason : failure;
        return {
          error: classify(cause, request.timeout),
          status: 0,
          response: null,
          remoteIp: null,
          retryAfter: null,
          millis: since(started),
        };
      } finally {
        clearTimeout(timer);
        closing.signal.removeEventListener('abort', cancel);
        if (origin) origin.inUse--;
      }
    },
    async close() {
      closing.abort();
      await Promise.all([...origins.values()].map((origin) => origin.pool.destroy()));
      origins.clear();
    },
  };
}

// A literal address never reaches the resolver, so it is judged here; a name is judged as it is resolved.
function parseTarget(text: string, guard: AddressGuard): URL {
  if (!URL.canParse(text)) throw new InvalidRequestError('the URL cannot be parsed');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidRequestError(`the URL scheme ${url.protocol} is not http: or https:`);
  }
  if (url.username !== '' || url.password !== '') throw new InvalidRequestError('the URL holds credentials');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.allows(host)) throw new BlockedAddressError(host);
  return url;
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}
