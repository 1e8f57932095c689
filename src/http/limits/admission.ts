import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fence } from '../../site/fence.ts';
import type { WorkKind } from '../address/address.ts';
import { busy, Gate } from './gate.ts';
import { callerKey } from './rate-limit.ts';

/** Kinds of work with a limit on concurrent requests. */
type Gated = 'read' | 'list' | 'write' | 'upload' | 'login';

/** The gate that admitted a request, and the caller it counts, who may be identified anew before the answer. */
interface Slot {
  readonly gate: Gate;
  readonly caller: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Takes a slot of this kind of work, for a request whose kind differs from that of its route. Call it
     * before the work begins. Returns a promise when the request must wait for its slot.
     * @throws ServiceError ServiceUnavailableError (503)
     */
    admit(work: Gated): Promise<void> | null;
    /** Given back with the answer. */
    slot: Slot | null;
    /** True for an admitted request that changes nothing. */
    reads: boolean;
  }
}

/**
 * Limits the concurrent requests of each kind, and of each caller. Refuses new requests when the event loop
 * is far behind. Only requests that have not begun are refused: never a transaction.
 */
export function registerAdmission(app: FastifyInstance, settings: Config['admission'], fence: Fence): void {
  const { patience } = settings;
  const gates: Readonly<Record<Gated, Gate>> = {
    read: new Gate({ atOnce: settings.reads, patience }),
    list: new Gate({ atOnce: settings.lists, patience }),
    write: new Gate({ atOnce: settings.writes, patience }),
    upload: new Gate({ atOnce: settings.uploads, patience }),
    login: new Gate({ atOnce: settings.logins, patience }),
  };
  if (settings.lateness > 0) refuseLate(app, settings);

  app.decorateRequest('slot', null);
  app.decorateRequest('reads', false);
  app.decorateRequest('admit', function admit(this: FastifyRequest, work: Gated) {
    if (fence.isShut && work !== 'read' && work !== 'list') throw tooOld();
    const gate = gates[work];
    const caller = callerKey(this);
    leave(this);
    this.reads = work === 'read' || work === 'list';
    if (this.reads) this.requireReader();
    if (!gate.enter(caller)) return waitFor(gate, caller, this);
    this.slot = { gate, caller };
    return null;
  });
  // The work ends with its answer. slow-readers.ts bounds the bytes that clients leave unread.
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

/** The error of a server whose database needs newer code. */
export function tooOld(): ServiceError {
  return new ServiceError('ServiceUnavailableError', 'The database needs a newer version of this server', {
    headers: { 'Retry-After': '5' },
  });
}

async function waitFor(gate: Gate, caller: string, request: FastifyRequest): Promise<void> {
  await gate.wait(caller);
  // The client has hung up: nothing is left to do.
  if (request.raw.socket.destroyed) {
    gate.leave(caller);
    throw busy();
  }
  request.slot = { gate, caller };
}

function admitted(
  work: Exclude<WorkKind, 'none' | 'stream'>,
  handler: RouteHandlerMethod,
): RouteHandlerMethod {
  if (work === 'method') return handler;
  return function run(request, reply) {
    const slot = request.admit(work);
    // Every answer passes `onSend`, even that of a handler that throws.
    const begin = () => handler.call(this, request, reply);
    return slot === null ? begin() : slot.then(begin);
  };
}

function leave(request: FastifyRequest): void {
  const { slot } = request;
  if (slot === null) return;
  request.slot = null;
  slot.gate.leave(slot.caller);
}

/**
 * Refuses requests that waited too long for the event loop. We cannot see how long a request waited in the
 * kernel, but we can see how long the event loop has had more to read: Node reads all ready sockets in one
 * turn, and one new connection in each. When that has lasted for `lateness` milliseconds, no more work begins
 * until everything is read, which is quick. Requests that arrive meanwhile queue, `LIMITS.heldWhenLate` at
 * most, and run in order, some in each turn of the loop. A request is refused when it has queued for longer
 * than `patience`, or when the queue is full. So a short burst is only delayed; a load beyond the server's
 * capacity that lasts for seconds is refused.
 */
function refuseLate(app: FastifyInstance, { lateness, patience }: Config['admission']): void {
  let began: number | null = null;
  let connected = false;
  const line: { readonly since: number; readonly go: (refusal?: Error) => void }[] = [];
  const endTurn = () => {
    const now = performance.now();
    // An endless series of connections must not block the queue.
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
    if (isInTime || request.declared?.work === 'none') done();
    else if (line.length < LIMITS.heldWhenLate) line.push({ since: now, go: done });
    else done(busy());
  });
}
