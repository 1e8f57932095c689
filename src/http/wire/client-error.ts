import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { errorBody } from './error-reply.ts';
import { registerExpectContinue } from './expect-continue.ts';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';
import { methodNotAllowed, VERBS_OF_HTTP } from './verbs.ts';

// An import would read every name that node:http exports, and Node loads its whole `fetch` for some of them.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Milliseconds in which a refused client may hang up by itself, so that it sees the refusal. */
const LINGER = 1_000;

const lastReplies = new WeakMap<Socket, ServerResponse>();
const refused = new WeakSet<Socket>();

/** Notes the reply in progress on a connection. */
export function noteReply(reply: FastifyReply): void {
  lastReplies.set(reply.request.raw.socket, reply.raw);
}

/** True when no later request has arrived on the reply's connection. */
export function isLastReply(reply: FastifyReply): boolean {
  return lastReplies.get(reply.request.raw.socket) === reply.raw;
}

/**
 * Answers bytes that Node cannot parse as a request with the error envelope, and closes the connection.
 * Replies in progress on it go first: a client would take the refusal for the answer to its last good
 * request.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  // The parser complains of every packet that follows the first bad one.
  if (refused.has(socket)) return;
  refused.add(socket);
  const refuse = () => answerRaw(socket, clientError(error.code), requestId);
  const last = lastReplies.get(socket);
  if (last === undefined) refuse();
  else if (last.req.complete) {
    if (last.closed) refuse();
    else last.once('close', refuse);
  } else if (last.headersSent || last.socket === null) {
    // The request's own body is broken, and either it is answered already or other replies go before it.
    socket.destroySoon();
  } else refuse();
}

/** Answers the requests that Node would answer or drop by itself. */
export function answerOddRequests(server: Server, requestId: () => string): void {
  server.on('connect', (request, socket) => {
    socket.on('error', () => {});
    answerRaw(
      socket as Socket,
      methodNotAllowed(request.method ?? '', VERBS_OF_HTTP.join(', ')),
      requestId(),
    );
  });
  registerExpectContinue(server);
  // Another value of `Expect`; check-request.ts refuses it.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function answerRaw(socket: Socket, failure: ServiceError, requestId: string): void {
  if (!socket.writable) return;
  const body = errorBody(failure);
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    `x-request-id: ${requestId}`,
    ...[...SECURITY_HEADERS, ...Object.entries(failure.details.headers ?? {})].map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const hangUp = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(hangUp));
}

function clientError(code: string | undefined): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HeadersTooLargeError', 'The request head is too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('RequestTooLargeError', 'The extensions of a chunk are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('RequestTimeoutError', 'The request took too long to arrive');
  }
  return new ServiceError('BadRequestError', 'The request is not valid HTTP');
}
