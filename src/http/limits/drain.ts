import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../../kernel/limits.ts';
import { within } from '../../kernel/wait.ts';
import type { Fence } from '../../site/fence.ts';
import { isLastReply } from '../wire/client-error.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to stop: it still answers, but sends its clients elsewhere. */
    readonly draining: AbortSignal;
    startDraining(): void;
  }
}

/** Milliseconds between two checks of the connections while the server closes. */
const SWEEP = 50;

/** After so many turns of the event loop without a new connection, none is waiting. */
const QUIET_TURNS = 3;

/** Includes sockets that have not sent a byte yet. */
const connections = new WeakMap<FastifyInstance, Set<Socket>>();

/**
 * Gives the server `draining`. Once it is aborted, the last reply on each connection says `Connection:
 * close`.
 */
export function registerDrain(app: FastifyInstance, fence: Fence): void {
  const draining = new AbortController();
  app.decorate('draining', draining.signal);
  app.decorate('startDraining', () => draining.abort());
  fence.onRaised(() => app.startDraining());
  app.addHook('preClose', (done) => {
    app.startDraining();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining.signal.aborted) {
      if (isLastReply(reply)) reply.header('connection', 'close');
      // Fastify sets the header in every reply of a closing server. Later requests on the connection would
      // get no answer.
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
 * Stops a listening server, and answers all requests that have arrived. For `grace` milliseconds it goes on
 * as before, while `/ready` answers 503. Then it accepts the pending connections, accepts no more, and ends
 * after the last reply.
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
    // A connection falls idle after its last request, and then must not keep the server open.
    app.server.closeIdleConnections();
    if (performance.now() - closed > LIMITS.stopSilence) void closeSilent(app);
  }, SWEEP);
  await within(most, app.close());
  clearInterval(sweep);
  app.server.closeAllConnections();
}

/**
 * Closing the listener resets connections that the system has accepted and Node has not. Node accepts one in
 * each turn.
 */
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

/**
 * A connection may look idle while its request waits to be read. In each turn of the loop, reads come before
 * immediates.
 */
function readBeforeClosing(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => void setImmediate().then(closeIdle);
}

/** For Node, a connection without a first byte is one that is sending a request. */
async function closeSilent(app: FastifyInstance): Promise<void> {
  await setImmediate();
  for (const socket of connections.get(app) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
