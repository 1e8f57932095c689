import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import { type AddressGuard, BlockedAddressError } from '../../net/address-guard.ts';
import type { Way } from '../../net/open-socket.ts';
import { parseProxy, type TunnelProxy } from '../../net/proxy-tunnel.ts';
import type { TlsMaterial } from '../../net/tls-material.ts';
import { Attempt } from './attempt.ts';
import type { ConnectionPool, Destination } from './connection-pool.ts';
import { InvalidRequestError } from './delivery-error.ts';
import type { DeliveryRequest, Outcome } from './delivery-request.ts';

export interface Sender {
  send(request: DeliveryRequest): Promise<Outcome>;
  /** Closes every connection, those in use included: their attempts end as `cancelled`. */
  close(): Promise<void>;
}

/**
 * Sends deliveries over keep-alive connections, to addresses that the guard allows. `proxy` is the setting
 * `webhooks.proxy`: the proxy resolves names, so the guard checks only the URL itself.
 */
export function createSender(guard: AddressGuard, proxy: string | null = null): Sender {
  return new KeepAliveSender(guard, proxy === null ? null : parseProxy(proxy));
}

/** Parsed URLs in the cache. */
const PLACES = 2_048;

class KeepAliveSender implements Sender {
  readonly #guard: AddressGuard;
  readonly #proxy: TunnelProxy | null;
  readonly #origins = new Map<string, ConnectionPool>();
  readonly #places = new Recent<Destination>(PLACES);
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
        attempt.begin(place, this.#poolOf(place, request.tls ?? null));
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

  #placeOf(url: string): Destination {
    let place = this.#places.get(url);
    if (!place) {
      place = parseDestination(url, this.#guard, this.#proxy !== null);
      this.#places.set(url, place);
    }
    return place;
  }

  #poolOf(place: Destination, tls: TlsMaterial | null): ConnectionPool {
    const key = tls ? `${place.origin} ${tls.id}` : place.origin;
    let origin = this.#origins.get(key);
    // Moves it to the end: the map is ordered by last use.
    if (origin) this.#origins.delete(key);
    else origin = { way: this.#wayTo(place, tls), idle: [], inUse: 0 };
    this.#origins.set(key, origin);
    if (this.#origins.size > LIMITS.deliveryOrigins) this.#forgetOldest(origin);
    return origin;
  }

  #wayTo({ isSecure, host, port }: Destination, tls: TlsMaterial | null): Way {
    const material = tls && {
      ...(tls.ca ? { ca: tls.ca } : {}),
      ...(tls.certificate && tls.key ? { cert: tls.certificate, key: tls.key } : {}),
    };
    const context = isSecure && material ? createSecureContext(material) : null;
    return { isSecure, host, port, guard: this.#guard, proxy: this.#proxy, context, session: null };
  }

  #forgetOldest(current: ConnectionPool): void {
    for (const [key, origin] of this.#origins) {
      if (origin.inUse > 0 || origin === current) continue;
      this.#origins.delete(key);
      for (const connection of origin.idle.splice(0)) void connection.destroy();
      return;
    }
  }
}

// A literal address skips the resolver, so it is checked here; a name is checked when it is resolved.
function parseDestination(text: string, guard: AddressGuard, isProxied: boolean): Destination {
  if (!URL.canParse(text)) throw new InvalidRequestError('the URL cannot be parsed');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidRequestError(`the URL scheme ${url.protocol} is not http: or https:`);
  }
  if (url.username !== '' || url.password !== '')
    throw new InvalidRequestError('the URL contains credentials');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.allows(host)) throw new BlockedAddressError(host);
  if (isProxied && /(?:^|\.)localhost\.?$/.test(host)) throw new BlockedAddressError(host);
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  return { origin: url.origin, isSecure, host, port, path: url.pathname + url.search };
}
