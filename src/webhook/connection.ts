import { Client, type Dispatcher } from 'undici';
import { LIMITS } from '../kernel/limits.ts';
import { type Opened, openSocket, type Way } from './open-socket.ts';

/**
 * One keep-alive connection to an origin, for one request at a time; opened by the first, and anew by the next when the
 * other end closed it.
 */
export class Connection {
  readonly #client: Client;
  #abort = () => {};
  #remoteIp: string | null = null;
  #opened: Opened | null = null;

  /** `origin` is scheme://host:port. */
  constructor(origin: string, way: Way) {
    this.#client = new Client(origin, {
      pipelining: 1,
      // The one deadline of an attempt stands in for all of undici's own.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: LIMITS.deliveryIdleTimeout,
      maxHeaderSize: LIMITS.deliveryResponseHeaderBytes,
      connect: (_options, callback) => {
        this.#abort = openSocket(way, (error, opened) => {
          if (!opened) return callback(error ?? new Error('no connection'), null);
          this.#opened = opened;
          this.#remoteIp = opened.remoteIp;
          callback(null, opened.socket);
        });
      },
    });
  }

  /** Of the receiver, once connected. */
  get remoteIp(): string | null {
    return this.#remoteIp;
  }

  /** How the connection was opened for the request that was dispatched last; null when it had been open. */
  get opened(): Opened | null {
    return this.#opened;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#opened = null;
    this.#client.dispatch(options, handler);
  }

  /** Closes it at once, whatever is on its way. */
  destroy(): Promise<void> {
    this.#abort();
    return this.#client.destroy();
  }
}
