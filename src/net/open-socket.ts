import { connect, isIP, type Socket } from 'node:net';
import { type SecureContext, connect as secure, type TLSSocket } from 'node:tls';
import { LIMITS } from '../kernel/limits.ts';
import { type AddressGuard, BlockedAddressError } from './address-guard.ts';
import { ConnectTimeoutError, HandshakeError, ProxyError } from './connect-error.ts';
import { openTunnel, type TunnelProxy } from './proxy-tunnel.ts';

/** The target of a connection, and the means to reach it. */
export interface Way {
  readonly isSecure: boolean;
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly guard: AddressGuard;
  readonly proxy: TunnelProxy | null;
  /** Null for Node's default context, with the well-known authorities. */
  readonly context: SecureContext | null;
  /** The TLS session of the last connection, which shortens the next handshake. */
  session: Buffer | null;
}

/** An open connection, and the milliseconds of each step of opening it; null for a skipped step. */
export interface Opened {
  readonly socket: Socket;
  /** The peer's address; null when the peer is a proxy. */
  readonly remoteIp: string | null;
  readonly dns: number | null;
  readonly connect: number;
  readonly tls: number | null;
}

type Done = (error: Error | null, opened: Opened | null) => void;

/**
 * Opens a connection to an allowed address, with TLS verified, within the time limit. Calls `done` once,
 * unless the returned function aborts it first.
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
    // The operator chose the proxy, so no guard checks its address. The target behind it is judged by its
    // name only.
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
      // Explicit, because the environment could change the default.
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
