import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Config } from '../config/config.ts';
import { LIMITS } from '../kernel/limits.ts';
import { busy, Gate } from './gate.ts';
import { callerKey } from './rate-limit.ts';
import type { Work } from './route-table.ts';

/** Kinds of work whose requests are counted while they run. */
type Gated = 'read' | 'list' | 'write' | 'upload' | 'login';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Waits until this kind of work may be done: for a request that turns out to be of another kind than its route says.
     * Call it before anything is begun. @throws ServiceError ServiceUnavailableError (503)
     */
    admit(work: Gated): Promise<void>;
    /** Where the request is in. */
    gate: Gate | null;
  }
}

/**
 * Lets only so many requests of each kind be worked on at once, and of each caller; refuses what comes when the event loop
 * is far behind. Only what was not begun is refused: never a transaction.
 */
export function registerAdmission(app: FastifyInstance, settings: Config['admission']): void {
  const { patience, lateness } = settings;
  const gates: Readonly<Record<Gated, Gate>> = {
    read: new Gate({ atOnce: settings.reads, patience }),
    list: new Gate({ atOnce: settings.lists, patience }),
    write: new Gate({ atOnce: settings.writes, patience }),
    upload: new Gate({ atOnce: settings.uploads, patience }),
    login: new Gate({ atOnce: settings.logins, patience }),
  };
  if (lateness > 0) refuseLate(app, lateness);

  app.decorateRequest('gate', null);
  app.decorateRequest('admit', async function admit(this: FastifyRequest, work: Gated) {
    const gate = gates[work];
    const caller = callerKey(this);
    leave(this);
    if (!gate.enter(caller)) {
      await gate.wait(caller);
      // Whoever has hung up meanwhile wants nothing done any more.
      if (this.raw.socket.destroyed) {
        gate.leave(caller);
        throw busy();
      }
    }
    this.gate = gate;
  });
  // The work is done when there is an answer; a client that reads it slowly keeps nobody waiting.
  app.addHook('onSend', (request, _reply, payload, done) => {
    leave(request);
    done(null, payload);
  });
  app.addHook('onRoute', (route) => {
    const work = route.config?.work;
    if (work === undefined || work === 'none' || work === 'stream') return;
    route.handler = admitted(work, route.handler);
  });
}

function admitted(work: Exclude<Work, 'none' | 'stream'>, handler: RouteHandlerMethod): RouteHandlerMethod {
  return async function run(request, reply) {
    if (work !== 'method') await request.admit(work);
    try {
      return await handler.call(this, request, reply);
    } finally {
      leave(request);
    }
  };
}

function leave(request: FastifyRequest): void {
  const { gate } = request;
  if (gate === null) return;
  request.gate = null;
  gate.leave(callerKey(request));
}

/**
 * Refuses what has waited too long for the event loop. How long a request lay in the system before Node read it cannot be
 * seen, but since when there has been more to read all the time: Node reads all sockets that are ready in one turn, and one new
 * connection in each. When that has lasted for `lateness` milliseconds, no more work is begun until everything is read, which is quick:
 * the first `LIMITS.heldWhenLate` requests are kept until then, so that a few busy clients are never refused, and the others refused.
 */
function refuseLate(app: FastifyInstance, lateness: number): void {
  let began: number | null = null;
  let connected = false;
  let held: (() => void)[] = [];
  const endTurn = () => {
    if (connected) {
      connected = false;
      setImmediate(endTurn);
      return;
    }
    began = null;
    const waiting = held;
    held = [];
    for (const go of waiting) go();
  };
  app.server.on('connection', () => {
    connected = true;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const now = performance.now();
    if (began === null) {
      began = now;
      setImmediate(endTurn);
    }
    if (now - began <= lateness || request.routeOptions.config.work === 'none') done();
    else if (held.length < LIMITS.heldWhenLate) held.push(done);
    else done(busy());
  });
}
