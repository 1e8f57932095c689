import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { LIMITS } from '../kernel/limits.ts';
import { type AddressGuard, BlockedAddressError } from './address-guard.ts';
import { Attempt } from './attempt.ts';
import type { Connection } from './connection.ts';
import { type DeliveryError, InvalidRequestError } from './delivery-error.ts';
import type { Way } from './open-socket.ts';
import { readProxy, type TunnelProxy } from './proxy-tunnel.ts';
import type { TlsMaterial } from './tls-material.ts';

export interface DeliveryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials among the headers, which no log may hold; absent: none. */
  readonly secrets?: readonly string[];
  readonly body: Uint8Array;
  /** For the whole attempt: resolving, connecting, sending, and the response with its body. Milliseconds. */
  readonly timeout: number;
  /** Absent or null: what everybody trusts, and no client certificate. */
  readonly tls?: TlsMaterial | null;
}

/** Milliseconds of the parts of an attempt; null for what did not happen, as on a connection that was open. */
export interface Timings {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From then until the head of the response. */
  readonly ttfb: number | null;
}

/** What came of one attempt. A failure is a value, never an exception. */
export interface Outcome {
  /** Null when delivered. */
  readonly error: DeliveryError | null;
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The start of the response body; null when there was no response. */
  readonly response: string | null;
  /** The response's headers as JSON text, bounded and masked; absent or null when there was no response. */
  readonly responseHeaders?: string | null;
  /** The response broke off or was longer than is read, after its status had decided. */
  readonly isTruncated?: boolean;
  /** Null while there was no connection, and behind a proxy. */
  readonly remoteIp: string | null;
  /** Milliseconds that the receiver asked to be left alone, at most a day. */
  readonly retryAfter: number | null;
  /** Absent or null when nothing was sent. */
  readonly timings?: Timings | null;
  readonly millis: number;
}

export interface Sender {
  send(request: DeliveryRequest): Promise<Outcome>;
  /** Breaks off every connection, those in use included: their attempts end as `cancelled`. */
  close(): Promise<void>;
}

/** Where a URL leads. */
export interface Place {
  /** scheme://host:port */
  readonly origin: string;
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Connections to one scheme, host and port, with the same TLS material. */
export interface Origin {
  readonly way: Way;
  /** The one that was used last is at the end: in quiet times the others grow old and close. */
  readonly idle: Connection[];
  inUse: number;
}

/**
 * Sends deliveries over keep-alive connections, to addresses that the guard allows. `proxy` is the setting
 * `webhooks.proxy`: names are resolved there, so the guard judges only what the URL says.
 */
export function createSender(guard: AddressGuard, proxy: string | null = null): Sender {
  return new KeepAliveSender(guard, proxy === null ? null : readProxy(proxy));
}

/** URLs remembered as read. */
const MOST_PLACES = 4_096;

class KeepAliveSender implements Sender {
  readonly #guard: AddressGuard;
  readonly #proxy: TunnelProxy | null;
  readonly #origins = new Map<string, Origin>();
  readonly #places = new Map<string, Place>();
  readonly #attempts = new Set<Attempt>();

  constructor(guard: AddressGuard, proxy: TunnelProxy | null) {
    this.#guard = guard;
    this.#proxy = proxy;
  }

  send(request: DeliveryRequest): Promise<Outcome> {
    return new Promise((settle) => {
      const attempt = new Attempt(request, (outcome) => {
        this.#attempts.delete(attempt);
        settle(outcome);
      });
      this.#attempts.add(attempt);
      try {
        const place = this.#placeOf(request.url);
        attempt.begin(place, this.#originOf(place, request.tls ?? null));
      } catch (error) {
        attempt.fail(error);
      }
    });
  }

  async close(): Promise<void> {
    for (const attempt of this.#attempts) attempt.cancel();
    const idle = [...this.#origins.values()].flatMap((origin) => origin.idle.splice(0));
    this.#origins.clear();
    await Promise.all(idle.map((connection) => connection.destroy()));
  }

  #placeOf(url: string): Place {
    let place = this.#places.get(url);
    if (!place) {
      place = readPlace(url, this.#guard, this.#proxy !== null);
      if (this.#places.size >= MOST_PLACES) this.#places.clear();
      this.#places.set(url, place);
    }
    return place;
  }

  #originOf(place: Place, tls: TlsMaterial | null): Origin {
    const key = tls ? `${place.origin} ${tls.id}` : place.origin;
    let origin = this.#origins.get(key);
    // Moved to the end: the map's order is that of last use.
    if (origin) this.#origins.delete(key);
    else origin = { way: this.#wayTo(place, tls), idle: [], inUse: 0 };
    this.#origins.set(key, origin);
    if (this.#origins.size > LIMITS.deliveryOrigins) this.#forgetOldest(origin);
    return origin;
  }

  #wayTo({ isSecure, host, port }: Place, tls: TlsMaterial | null): Way {
    const material = tls && {
      ...(tls.ca ? { ca: tls.ca } : {}),
      ...(tls.certificate && tls.key ? { cert: tls.certificate, key: tls.key } : {}),
    };
    const context = isSecure && material ? createSecureContext(material) : null;
    return { isSecure, host, port, guard: this.#guard, proxy: this.#proxy, context, session: null };
  }

  #forgetOldest(current: Origin): void {
    for (const [key, origin] of this.#origins) {
      if (origin.inUse > 0 || origin === current) continue;
      this.#origins.delete(key);
      for (const connection of origin.idle.splice(0)) void connection.destroy();
      return;
    }
  }
}

// A literal address never reaches the resolver, so it is judged here; a name is judged as it is resolved.
function readPlace(text: string, guard: AddressGuard, isProxied: boolean): Place {
  if (!URL.canParse(text)) throw new InvalidRequestError('the URL cannot be parsed');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidRequestError(`the URL scheme ${url.protocol} is not http: or https:`);
  }
  if (url.username !== '' || url.password !== '') throw new InvalidRequestError('the URL holds credentials');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.allows(host)) throw new BlockedAddressError(host);
  if (isProxied && /(?:^|\.)localhost\.?$/.test(host)) throw new BlockedAddressError(host);
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  return { origin: url.origin, isSecure, host, port, path: url.pathname + url.search };
}
