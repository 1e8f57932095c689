import { connect, isIP, type Socket } from 'node:net';
import { type SecureContext, connect as secure, type TLSSocket } from 'node:tls';
import { LIMITS } from '../kernel/limits.ts';
import { type AddressGuard, BlockedAddressError } from './address-guard.ts';
import { ConnectTimeoutError, HandshakeError, ProxyError } from './delivery-error.ts';
import { openTunnel, type TunnelProxy } from './proxy-tunnel.ts';

/** Where a connection leads, and by what means. */
export interface Way {
  readonly isSecure: boolean;
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly guard: AddressGuard;
  readonly proxy: TunnelProxy | null;
  /** Null for what everybody trusts. */
  readonly context: SecureContext | null;
  /** Of the last connection: the next handshake is shorter with it. */
  session: Buffer | null;
}

/** An open connection, and the milliseconds that each part of opening it took; null for a part that was not needed. */
export interface Opened {
  readonly socket: Socket;
  /** Who is at the other end; null when that is a proxy. */
  readonly remoteIp: string | null;
  readonly dns: number | null;
  readonly connect: number;
  readonly tls: number | null;
}

type Done = (error: Error | null, opened: Opened | null) => void;

/**
 * Opens a connection to an address that the guard allows, TLS verified, within the time for it. Calls `done` once, unless
 * the returned function breaks it off before.
 */
export function openSocket(way: Way, done: Done): () => void {
  const opening = new Opening(way, done);
  return () => opening.abort();
}

class Opening {
  readonly #way: Way;
  readonly #done: Done;
  readonly #timer: NodeJS.Timeout;
  readonly #raw: Socket;
  readonly #begun = performance.now();
  #resolved: number | null = null;
  #connected = 0;
  #encrypted: TLSSocket | null = null;
  #isOver = false;

  constructor(way: Way, done: Done) {
    this.#way = way;
    this.#done = done;
    const limit = LIMITS.deliveryConnectTimeout;
    this.#timer = setTimeout(() => {
      const what = this.#connected > 0 ? 'ready connection' : 'connection';
      this.#fail(new ConnectTimeoutError(`no ${what} within ${limit / 1000} s`));
    }, limit);
    const { host, port } = way.proxy ?? way;
    // The proxy is where the operator says it is; where it leads is judged by those who know only a name.
    this.#raw = connect({ host, port, noDelay: true, ...(way.proxy ? {} : { lookup: way.guard.lookup }) });
    this.#raw.once('lookup', () => {
      this.#resolved ??= performance.now();
    });
    this.#raw.on('error', this.#rawFailed);
    this.#raw.once('connect', () => this.#reached());
  }

  abort(): void {
    this.#end();
    (this.#encrypted ?? this.#raw).destroy();
  }

  #reached(): void {
    if (this.#isOver) return;
    this.#connected = performance.now();
    const { proxy, guard, host, port } = this.#way;
    if (proxy) {
      openTunnel(this.#raw, proxy, host, port, (error) => this.#through(error));
      return;
    }
    const address = this.#raw.remoteAddress ?? '';
    this.#through(guard.allows(address) ? null : new BlockedAddressError(address));
  }

  #through(error: Error | null): void {
    if (this.#isOver) return;
    if (error) this.#fail(error);
    else if (this.#way.isSecure) this.#encrypt();
    else this.#succeed(this.#raw, null);
  }

  #encrypt(): void {
    const { host, context, session } = this.#way;
    const begun = performance.now();
    this.#encrypted = secure({
      socket: this.#raw,
      host,
      servername: isIP(host) === 0 ? host : '',
      // Said here because the environment could say otherwise.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      ...(context ? { secureContext: context } : {}),
      ...(session ? { session } : {}),
    });
    this.#encrypted.on('session', (fresh) => {
      this.#way.session = fresh;
    });
    this.#encrypted.once('secureConnect', () => {
      if (this.#encrypted) this.#succeed(this.#encrypted, performance.now() - begun);
    });
    this.#encrypted.on('error', this.#encryptedFailed);
  }

  readonly #encryptedFailed = (error: Error) => {
    this.#way.session = null;
    const isTorn = 'code' in error && error.code === 'ECONNRESET';
    this.#fail(isTorn ? new HandshakeError('the connection broke off in the TLS handshake') : error);
  };

  readonly #rawFailed = (error: Error) => {
    this.#fail(this.#way.proxy ? new ProxyError(`the proxy cannot be reached: ${error.message}`) : error);
  };

  #succeed(socket: Socket, tls: number | null): void {
    if (this.#isOver) return;
    this.#end();
    socket.off('error', this.#rawFailed);
    socket.off('error', this.#encryptedFailed);
    this.#done(null, {
      socket,
      remoteIp: this.#way.proxy ? null : (this.#raw.remoteAddress ?? null),
      dns: this.#resolved === null ? null : this.#resolved - this.#begun,
      connect: this.#connected - (this.#resolved ?? this.#begun),
      tls,
    });
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.abort();
    this.#done(error, null);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
