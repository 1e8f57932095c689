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
    /** True of what changes nothing, once it was admitted. */
    reads: boolean;
  }
}

/**
 * Lets only so many requests of each kind be worked on at once, and of each caller; refuses what comes when the event loop
 * is far behind. Only what was not begun is refused: never a transaction.
 */
export function registerAdmission(app: FastifyInstance, settings: Config['admission']): void {
  const { patience } = settings;
  const gates: Readonly<Record<Gated, Gate>> = {
    read: new Gate({ atOnce: settings.reads, patience }),
    list: new Gate({ atOnce: settings.lists, patience }),
    write: new Gate({ atOnce: settings.writes, patience }),
    upload: new Gate({ atOnce: settings.uploads, patience }),
    login: new Gate({ atOnce: settings.logins, patience }),
  };
  if (settings.lateness > 0) refuseLate(app, settings);

  app.decorateRequest('gate', null);
  app.decorateRequest('reads', false);
  app.decorateRequest('admit', async function admit(this: FastifyRequest, work: Gated) {
    const gate = gates[work];
    const caller = callerKey(this);
    leave(this);
    this.reads = work === 'read' || work === 'list';
    if (this.reads) this.requireReader();
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
  // The work is done when there is an answer. What clients leave unread is bounded in slow-readers.ts.
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
    // Every answer passes `onSend`, also that of a handler that throws.
    return handler.call(this, request, reply);
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
 * connection in each. When that has lasted for `lateness` milliseconds, no more work is begun until everything is read, which is quick.
 * What is read meanwhile stands in line, `LIMITS.heldWhenLate` requests at most, and is done in turn, some in each turn of
 * the loop; who has stood there for longer than `patience`, and who finds the line full, is refused. So a burst is done a little later, and
 * only more than the server can do, for seconds, is refused.
 */
function refuseLate(app: FastifyInstance, { lateness, patience }: Config['admission']): void {
  let began: number | null = null;
  let connected = false;
  const line: { readonly since: number; readonly go: (refusal?: Error) => void }[] = [];
  const endTurn = () => {
    const now = performance.now();
    // Connections without end must not keep the line from moving.
    if (connected && now - (began ?? now) <= 2 * lateness) {
      connected = false;
      setImmediate(endTurn);
      return;
    }
    for (let begun = 0; begun < LIMITS.begunInOneTurn; ) {
      const next = line.shift();
      if (!next) break;
      const isLate = now - next.since > patience;
      next.go(isLate ? busy() : undefined);
      if (!isLate) begun += 1;
    }
    if (line.length > 0) setImmediate(endTurn);
    else began = null;
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
    const isInTime = line.length === 0 && now - began <= lateness;
    if (isInTime || request.routeOptions.config.work === 'none') done();
    else if (line.length < LIMITS.heldWhenLate) line.push({ since: now, go: done });
    else done(busy());
  });
}
