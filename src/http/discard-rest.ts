import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../kernel/limits.ts';

/** A client that has been silent for so long is not sending any more; milliseconds. */
const PAUSE = 1_000;

/**
 * Throws away what a client is still sending of a body that was refused, for a bounded time, and then ends the
 * connection. Closed at once it would be reset, and the client might never see the refusal.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  let before = socket.bytesRead;
  let left = LIMITS.uploadLinger;
  const timer = setInterval(() => {
    left -= PAUSE;
    if (left <= 0 || socket.bytesRead === before) socket.destroy();
    before = socket.bytesRead;
  }, PAUSE);
  const stop = () => clearInterval(timer);
  request.once('end', stop);
  socket.once('close', stop);
  request.resume();
}
