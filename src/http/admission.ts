import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Config } from '../config/config.ts';
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
  if (lateness > 0) {
    const isLate = lateOf(lateness);
    app.addHook('onRequest', (request, _reply, done) => {
      done(isLate() && request.routeOptions.config.work !== 'none' ? busy() : undefined);
    });
  }

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
 * Whether the request that is looked at has waited for more than `lateness` milliseconds since the event loop began to look at those
 * that had come. What has become ready in the meantime is looked at in the next turn, and has waited less: under too much
 * load each turn does that much work, and refuses the rest cheaply.
 */
function lateOf(lateness: number): () => boolean {
  let turn: number | null = null;
  const endTurn = () => {
    turn = null;
  };
  return () => {
    const now = performance.now();
    if (turn === null) {
      turn = now;
      setImmediate(endTurn);
      return false;
    }
    return now - turn > lateness;
  };
}
