import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fence } from '../../site/fence.ts';
import type { WorkKind } from '../address/address.ts';
import { BUSY, Gate } from './gate.ts';
import { queueWhenLate } from './late-queue.ts';
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
 * Limits the concurrent requests of each kind, and of each caller. Queues new requests while the event loop
 * is behind. Only requests that have not begun are refused: never a transaction.
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
  if (settings.lateness > 0) queueWhenLate(app, settings);

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
    throw BUSY;
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
