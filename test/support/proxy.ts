import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { inTheEnd } from './until.ts';

/** A TCP proxy on 127.0.0.1 that can be cut or slow: a network or a server that goes away and comes back. */
export interface Proxy {
  readonly port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Passes nothing on and keeps every connection open, like a process that is stopped. */
  freeze(): void;
  thaw(): void;
  /** Passes so many bytes a second of each connection on to the target, or all at once. */
  limit(bytes: number | null): void;
}

export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const held = new Set<() => void>();
  let speed: number | null = null;
  const gate = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (speed === null) return done(null, chunk);
        const pass = () => {
          clearTimeout(timer);
          held.delete(pass);
          done(null, chunk);
        };
        const timer = setTimeout(pass, (1_000 * chunk.length) / speed);
        held.add(pass);
      },
    });
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const open = async (port: number): Promise<Server> => {
    // What is passed on bit by bit is not kept back until the other end has acknowledged what came before.
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ ...target, noDelay: true });
      hold(near);
      hold(far);
      near.pipe(gate()).pipe(far).pipe(near);
      if (isFrozen) for (const socket of [near, far]) socket.pause();
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await open(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    async cut() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await inTheEnd(() => once(server, 'close'), 'the end of a proxy');
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async mend() {
      server = await open(port);
    },
    limit(bytes) {
      speed = bytes;
      for (const pass of held) pass();
    },
  };
}
