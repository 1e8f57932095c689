import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came. */
export interface Arrival {
  /** `/0/7`: which address of which origin. */
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** By `performance.now()`. */
  readonly at: number;
  /** When a 2xx answer was begun; null: not (yet). */
  acceptedAt: number | null;
}

/** Answers a request, or does something worse. */
export type Behaviour = (response: ServerResponse, socket: Socket, arrival: Arrival) => void;

export const accept: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end('thanks');
};

/** Receivers on loopback: some origins (ports) with any number of addresses each. Keeps what it gets. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  /** Chooses how a request is treated. */
  decide: (arrival: Arrival) => Behaviour = () => accept;
  readonly #servers: readonly Server[];
  readonly #sockets: Set<Socket>;
  readonly #looks = new Set<() => void>();

  static async start(origins = 1): Promise<Receiver> {
    const sockets = new Set<Socket>();
    const servers = await Promise.all(
      Array.from({ length: origins }, async (_, origin) => {
        // Without a timeout of its own: the sender's count.
        const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 });
        server.on('request', (request, response) => {
          const chunks: Buffer[] = [];
          request.on('error', () => {});
          response.on('error', () => {});
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => {
            const body = Buffer.concat(chunks);
            receiver.#receive(`/${origin}${request.url}`, request.headers, body, response, request.socket);
          });
        });
        server.on('connection', (socket) => {
          sockets.add(socket);
          socket.on('error', () => {});
          socket.on('close', () => sockets.delete(socket));
        });
        server.listen(0, '127.0.0.1', 4_096);
        await once(server, 'listening');
        return server;
      }),
    );
    const receiver = new Receiver(servers, sockets);
    return receiver;
  }

  private constructor(servers: readonly Server[], sockets: Set<Socket>) {
    this.#servers = servers;
    this.#sockets = sockets;
  }

  /** The address of endpoint `/<origin>/<path>`. */
  url(endpoint: string): string {
    const [, origin = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(endpoint) ?? [];
    const address = this.#servers[Number(origin)]?.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}${path}`;
  }

  /**
   * Resolves when `done` holds, looked at after each request and answer; to false when that takes longer than
   * `within` milliseconds.
   */
  async until(done: () => boolean, within: number): Promise<boolean> {
    if (done()) return true;
    return new Promise((resolve) => {
      const look = () => {
        if (done()) end(true);
      };
      const timer = setTimeout(() => end(done()), within);
      const end = (answer: boolean) => {
        clearTimeout(timer);
        this.#looks.delete(look);
        resolve(answer);
      };
      this.#looks.add(look);
    });
  }

  /** Breaks all connections; new ones are taken. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.breakOff();
  }

  #receive(
    endpoint: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
    response: ServerResponse,
    socket: Socket,
  ): void {
    const arrival: Arrival = { endpoint, headers, body, at: performance.now(), acceptedAt: null };
    this.arrivals.push(arrival);
    const { writeHead } = response;
    // Whatever the behaviour, this is where it accepts.
    response.writeHead = function (this: ServerResponse, status: number, ...rest: unknown[]) {
      if (status >= 200 && status < 300) arrival.acceptedAt = performance.now();
      return Reflect.apply(writeHead, this, [status, ...rest]) as ServerResponse;
    } as ServerResponse['writeHead'];
    this.decide(arrival)(response, socket, arrival);
    for (const look of [...this.#looks]) look();
  }
}
