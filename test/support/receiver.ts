import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { inTime } from './until.ts';

/**
 * How a receiver treats a request. `drip` sends a byte of the body at a time after a 200, `drip-head` sends
 * interim responses and never the final one, `reset` closes the connection before any response byte,
 * `reset-body` after a 200 and half a body, `echo` repeats the headers of the request in body and headers,
 * `huge` sends a body without end, `hang` nothing at all.
 */
export type ReceiverMode =
  | 'ok'
  | 'hang'
  | 'drip'
  | 'drip-head'
  | 'reset'
  | 'reset-body'
  | 'redirect'
  | 'echo'
  | 'huge'
  | 'retry-after'
  | 410
  | 500;

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A real HTTP server on loopback that keeps the exact bytes it got. */
export class WebhookReceiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[] = [];
  /** Connections accepted so far. */
  connections = 0;
  /** Bytes written in `huge` mode. */
  written = 0;
  mode: ReceiverMode = 'ok';
  /** Decides per request in place of `mode`. */
  decide: ((received: Received, count: number) => ReceiverMode) | null = null;
  readonly #close: () => Promise<void>;
  readonly #waiting = new Set<() => void>();

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => void receiver.#receive(request, response));
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      receiver.connections++;
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new WebhookReceiver(port, async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return receiver;
  }

  private constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}/hook`;
    this.#close = close;
  }

  /** Resolves when `done` holds, looked at after each request. Rejects after `PATIENCE`. */
  async until(done: (received: readonly Received[]) => boolean): Promise<readonly Received[]> {
    if (done(this.received)) return this.received;
    return inTime(
      (found) => {
        const look = () => {
          if (done(this.received)) found(this.received);
        };
        this.#waiting.add(look);
        return () => this.#waiting.delete(look);
      },
      () => `the receiver got ${this.received.length} requests`,
    );
  }

  count(count: number): Promise<readonly Received[]> {
    return this.until((received) => received.length >= count);
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    this.received.push(received);
    const mode = this.decide ? this.decide(received, this.received.length) : this.mode;
    if (mode === 'echo') {
      response.setHeader('x-echo', String(received.headers.authorization));
      response.end(JSON.stringify(received.headers));
    } else this.#respond(mode, request.socket, response);
    for (const look of [...this.#waiting]) look();
  }

  #respond(mode: Exclude<ReceiverMode, 'echo'>, socket: Socket, response: ServerResponse): void {
    switch (mode) {
      case 'ok':
        response.writeHead(200, { 'content-type': 'text/plain' }).end('thank you');
        return;
      case 410:
      case 500:
        response.writeHead(mode).end(`status ${mode}`);
        return;
      case 'retry-after':
        response.writeHead(429, { 'retry-after': '3600' }).end();
        return;
      case 'redirect':
        response.writeHead(302, { location: `http://127.0.0.1:${this.port}/elsewhere` }).end();
        return;
      case 'hang':
        return;
      case 'drip':
        response.writeHead(200);
        every(socket, 100, () => response.write('.'));
        return;
      case 'drip-head':
        every(socket, 1_000, () => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'));
        return;
      case 'reset':
        socket.resetAndDestroy();
        return;
      case 'reset-body':
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half', () => socket.resetAndDestroy());
        return;
      case 'huge':
        response.writeHead(200);
        this.#pour(response);
    }
  }

  #pour(response: ServerResponse): void {
    const block = Buffer.alloc(16 * 1024, 'x');
    const more = () => {
      while (!response.destroyed) {
        this.written += block.length;
        if (!response.write(block)) return;
      }
    };
    response.on('drain', more);
    more();
  }
}

function every(socket: Socket, millis: number, act: () => void): void {
  const timer = setInterval(act, millis);
  socket.on('close', () => clearInterval(timer));
}
