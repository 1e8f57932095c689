import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../kernel/limits.ts';
import { within } from '../kernel/wait.ts';
import { isLastReply } from './client-error.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to stop: it still answers, and wants its clients to go elsewhere. */
    readonly draining: AbortSignal;
    startDraining(): void;
  }
}

/** How often connections are looked through while the server closes, milliseconds. */
const SWEEP = 50;

/** Turns of the event loop without a new connection after which none is waiting. */
const QUIET_TURNS = 3;

/** Sockets of a server that have not sent a byte yet are among these. */
const connections = new WeakMap<FastifyInstance, Set<Socket>>();

/** Gives the server `draining`. From then on each reply that is the last on its connection says `Connection: close`. */
export function registerDrain(app: FastifyInstance): void {
  const draining = new AbortController();
  app.decorate('draining', draining.signal);
  app.decorate('startDraining', () => draining.abort());
  app.addHook('preClose', (done) => {
    app.startDraining();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining.signal.aborted) {
      if (isLastReply(reply)) reply.header('connection', 'close');
      // Fastify asks for it in every reply of a server that closes. Requests behind this one would go unanswered.
      else reply.raw.removeHeader('connection');
    }
    done(null, payload);
  });
  const open = new Set<Socket>();
  connections.set(app, open);
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  readBeforeClosing(app.server);
}

/**
 * Stops a server that listens, and answers all requests that have come. For `grace` milliseconds it goes on as before, while
 * `/ready` is 503. Then it accepts the connections that wait, accepts no more, and ends when the last reply is sent.
 */
export async function drainServer(
  app: FastifyInstance,
  grace: number,
  most: number = LIMITS.stopDrain,
): Promise<void> {
  app.startDraining();
  if (grace > 0) await sleep(grace);
  await acceptWaiting(app.server, most);
  const closed = performance.now();
  const sweep = setInterval(() => {
    // A connection falls idle when its last request is answered, and then must not keep the server open.
    app.server.closeIdleConnections();
    if (performance.now() - closed > LIMITS.stopSilence) void closeSilent(app);
  }, SWEEP);
  await within(most, app.close());
  clearInterval(sweep);
  app.server.closeAllConnections();
}

/** Closing the listener resets the connections that the system has accepted and Node has not. Node takes one in each turn. */
async function acceptWaiting(server: Server, most: number): Promise<void> {
  let quiet = 0;
  const count = () => {
    quiet = 0;
  };
  server.on('connection', count);
  const began = performance.now();
  while (quiet < QUIET_TURNS && performance.now() - began < most) {
    await setImmediate();
    quiet += 1;
  }
  server.off('connection', count);
}

/** A connection may look idle while its request waits to be read. Reads come before immediates in a turn of the loop. */
function readBeforeClosing(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => void setImmediate().then(closeIdle);
}

/** Node takes a connection without a first byte for one that sends a request. */
async function closeSilent(app: FastifyInstance): Promise<void> {
  await setImmediate();
  for (const socket of connections.get(app) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
