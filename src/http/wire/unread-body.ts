import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { isWaitingToSend } from './expect-continue.ts';

/** After a silence of so many milliseconds a client counts as finished. */
const PAUSE = 1_000;

/**
 * Bounds the rest of a body that a client sends after its reply. The server reads and discards it for
 * `linger` milliseconds, then closes the connection. It announces that with `Connection: close` when the rest
 * is long or of unknown length.
 */
export function registerUnreadBodies(app: FastifyInstance, linger: number): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const { raw } = request;
    if (raw.complete || !hasBody(raw) || raw.socket.destroyed) return done(null, payload);
    if (isWaitingToSend(raw) || announcedBytes(raw) > LIMITS.bodyBytes) reply.header('connection', 'close');
    // In these cases Node closes the connection with the reply, and the system would reset a client that is
    // still sending.
    const closes = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    // A body that was too slow gets no more time.
    if (!closes || !isText || request.method === 'HEAD' || reply.statusCode === 408) {
      discardRest(raw, linger, () => {
        if (!raw.complete) raw.destroy();
      });
      return done(null, payload);
    }
    done(null, heldOpen(raw, reply, payload, linger));
  });
}

/**
 * Refuses a body with an announced length of more than `most` bytes. @throws ServiceError
 * RequestTooLargeError
 */
export function requireBodyWithin(request: IncomingMessage, most: number): void {
  if (announcedBytes(request) > most) throw bodyTooLarge(most);
}

export function bodyTooLarge(most: number): ServiceError {
  return new ServiceError('RequestTooLargeError', `A body may have at most ${most} bytes`);
}

/** True when the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  return announcedBytes(request) > 0 || request.headers['transfer-encoding'] !== undefined;
}

/** 0 for a body of unknown length too. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** A reply that is complete for its client at once, and ends when the client stops sending. */
function heldOpen(
  request: IncomingMessage,
  reply: FastifyReply,
  payload: string | Buffer,
  linger: number,
): Readable {
  reply.header('content-length', Buffer.byteLength(payload));
  const held = new Readable({ read() {} });
  held.push(payload);
  discardRest(request, linger, () => held.push(null));
  return held;
}

/** Reads and discards the rest of a body. Calls `giveUp` at its end, or after `linger` milliseconds. */
export function discardRest(request: IncomingMessage, linger: number, giveUp: () => void): void {
  const { socket } = request;
  let before = socket.bytesRead;
  let left = linger;
  // The body emits no end event after its reader aborted, so a timer checks.
  const timer = setInterval(
    () => {
      left -= PAUSE;
      if (request.complete || left <= 0 || socket.bytesRead === before) stop();
      before = socket.bytesRead;
    },
    Math.min(PAUSE, linger),
  );
  function stop(): void {
    clearInterval(timer);
    request.off('end', stop);
    socket.off('close', stop);
    giveUp();
  }
  request.once('end', stop);
  socket.once('close', stop);
  request.unpipe();
  request.resume();
}
