import { AsyncResource } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { BUSY } from './gate.ts';
import { Pace } from './pace.ts';

/** Milliseconds in which new connections keep queued requests from starting, once the server is late. */
const ACCEPTING = 20;

interface Queued {
  readonly request: FastifyRequest;
  /** Its wait counts from here. */
  readonly since: number;
  readonly go: (refusal?: Error) => void;
}

/**
 * Queues requests while the event loop is behind. We cannot see how long a request waited in the kernel, but we
 * can see how long the event loop has had more to read: Node reads all ready sockets in one turn, and one new
 * connection in each. When that has lasted for `lateness` milliseconds, further requests queue,
 * `LIMITS.heldWhenLate` at most. Once everything is read, queued requests start in order for
 * `LIMITS.workOfOneTurn`; then the loop reads again. So a request is read, and may be refused, within a few such
 * turns. It is refused at once when the queue is full or too long for `patience` at its present pace, and later
 * when it has waited for `patience` all the same. A short burst is only delayed.
 */
export function queueWhenLate(app: FastifyInstance, { lateness, patience }: Config['admission']): void {
  /** Since when the event loop has had more to read; null when it has read everything. */
  let began: number | null = null;
  /** Until when new connections keep queued requests from starting; null before the end of a turn. */
  let accepting: number | null = null;
  let connected = false;
  const line: Queued[] = [];
  const pace = new Pace();

  const endTurn = async () => {
    const start = performance.now();
    accepting ??= start + ACCEPTING;
    if (connected && start <= accepting) {
      connected = false;
      setImmediate(endTurn);
      return;
    }
    let begun = 0;
    await promisesSettled();
    for (let now = start; now - start < LIMITS.workOfOneTurn; now = performance.now()) {
      const next = line.shift();
      if (!next) break;
      const isPointless = now - next.since > patience || next.request.raw.socket.destroyed;
      next.go(isPointless ? BUSY : undefined);
      if (!isPointless) begun += 1;
      await promisesSettled();
    }
    if (begun > 0) pace.note(begun);
    connected = false;
    accepting = null;
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
      // Long enough to tell that the server is late.
      accepting = now + lateness + ACCEPTING;
      setImmediate(endTurn);
    }
    const isInTime = line.length === 0 && now - began <= lateness;
    if (isInTime || request.declared?.work === 'none') return done();
    if (line.length >= LIMITS.heldWhenLate || !pace.isHopeful(line.length, patience)) return done(BUSY);
    if (line.length === 0) pace.start();
    // Its trace goes on, not that of the request before it.
    line.push({ request, since: Math.max(now, began + lateness), go: AsyncResource.bind(done) });
  });
}

/** Called in a promise, it resolves when all others that are ready have run: the next request does not overtake. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
