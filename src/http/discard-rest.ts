import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../kernel/limits.ts';

/** A client that has been silent for so long is not sending any more; milliseconds. */
const PAUSE = 1_000;

/**
 * Throws away what a client is still sending of a body that was refused, for a bounded time, and then ends the
 * connection. Closed at once it would be reset, and the client might never see the refusal.
 */
export function discardRest(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  let before = socket.bytesRead;
  let left = LIMITS.uploadLinger;
  // The end of a body whose reader broke off is not announced, so it is looked for.
  const timer = setInterval(() => {
    left -= PAUSE;
    const isOver = request.complete || socket.destroyed;
    if (!isOver && (left <= 0 || socket.bytesRead === before)) socket.destroy();
    if (isOver || socket.destroyed) clearInterval(timer);
    before = socket.bytesRead;
  }, PAUSE);
  request.once('end', () => clearInterval(timer));
  request.resume();
}
