import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A TCP server on loopback that does as it is told with each connection: what no HTTP library would do. */
export class RawReceiver {
  readonly port: number;
  /** Connections accepted so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** `act` is called for each connection. */
  static async start(act: (socket: Socket, count: number) => void): Promise<RawReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RawReceiver(server, act);
  }

  private constructor(server: Server, act: (socket: Socket, count: number) => void) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      act(socket, this.connections);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
