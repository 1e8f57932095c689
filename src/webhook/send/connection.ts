import { Client, type Dispatcher } from 'undici';
import { LIMITS } from '../../kernel/limits.ts';
import { type Opened, openSocket, type Way } from '../../net/open-socket.ts';

/**
 * A keep-alive connection to an origin, for one request at a time. The first request opens it; the next one
 * reopens it if the other end has closed it.
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
      // The deadline of the attempt replaces all timeouts of undici.
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

  /** The receiver's address, once connected. */
  get remoteIp(): string | null {
    return this.#remoteIp;
  }

  /** How the connection was opened for the last request; null when it was open already. */
  get opened(): Opened | null {
    return this.#opened;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#opened = null;
    this.#client.dispatch(options, handler);
  }

  /** Closes it at once, with any request in flight. */
  destroy(): Promise<void> {
    this.#abort();
    return this.#client.destroy();
  }
}
