import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { busy } from './gate.ts';
import { Pace } from './pace.ts';

/**
 * Queues requests while the event loop is behind. We cannot see how long a request waited in the kernel, but we
 * can see how long the event loop has had more to read: Node reads all ready sockets in one turn, and one new
 * connection in each. When that has lasted for `lateness` milliseconds, further requests queue,
 * `LIMITS.heldWhenLate` at most. Once everything is read, queued requests run in order for
 * `LIMITS.workOfOneTurn`; then the loop reads again. So a request is read, and may be refused, within a few such
 * turns. It is refused at once when the queue is full or too long for `patience` at its present pace, and later
 * when it has waited for `patience` all the same. A short burst is only delayed.
 */
export function queueWhenLate(app: FastifyInstance, { lateness, patience }: Config['admission']): void {
  /** Since when the event loop has had more to read; null when it has read everything. */
  let began: number | null = null;
  /** Since when only new connections have kept queued requests from starting. */
  let accepting: number | null = null;
  let connected = false;
  /** The wait of each counts from the time at which the server is late. */
  const line: { readonly since: number; readonly go: (refusal?: Error) => void }[] = [];
  const pace = new Pace();

  const endTurn = async () => {
    const start = performance.now();
    accepting ??= start;
    if (connected && start - accepting <= lateness) {
      connected = false;
      setImmediate(endTurn);
      return;
    }
    let begun = 0;
    for (let now = start; now - start < LIMITS.workOfOneTurn; now = performance.now()) {
      const next = line.shift();
      if (!next) break;
      const isLate = now - next.since > patience;
      next.go(isLate ? busy() : undefined);
      if (!isLate) begun += 1;
      // Its promises settle before the next one begins.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    connected = false;
    accepting = null;
    if (line.length === 0) {
      began = null;
      return;
    }
    pace.note(begun);
    setImmediate(endTurn);
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
    // Behind a new connection there may be more.
    const isInTime = line.length === 0 && now - began <= lateness && !connected;
    if (isInTime || request.declared?.work === 'none') return done();
    if (line.length === 0) pace.start();
    if (line.length < LIMITS.heldWhenLate && pace.isHopeful(line.length, patience))
      line.push({ since: Math.max(now, began + lateness), go: done });
    else done(busy());
  });
}
