import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Requests whose clients wait for `100 Continue` before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Passes requests with `Expect: 100-continue` on unanswered. Node would ask for every body, even that of a
 * refused request.
 */
export function registerExpectContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
}

/** Asks a waiting client to send the body. Call it after the last check, before the first read. */
export function askForBody(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (!response) return;
  waiting.delete(request);
  if (!response.headersSent) response.writeContinue();
}

/** True while the client has not been asked for its body. */
export function isWaitingToSend(request: IncomingMessage): boolean {
  return waiting.has(request);
}
