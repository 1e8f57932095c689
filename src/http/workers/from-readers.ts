import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../../kernel/limits.ts';

const { createServer } = process.getBuiltinModule('node:http');

/** The address of the client, on a request that a reader forwards. Anywhere else it is a header like any other. */
export const CLIENT_ADDRESS = 'chancery-client-address';

/** More bytes than the headers that a reader adds. */
const ADDED_BYTES = 1_024;
const ADDED_HEADERS = 4;

declare module 'fastify' {
  interface FastifyInstance {
    /** The writer: answers the requests that readers forward to this socket. Closes with the server. */
    listenForReaders(path: string): Promise<void>;
  }
}

/**
 * Requests of readers join those of the writer's own clients. Only their own user can reach the socket, and only
 * there a header tells the client's address. It becomes the address of the connection, which serves one request at a
 * time, so that `trustProxy` and the limits work as for any other client.
 */
export function registerFromReaders(app: FastifyInstance): void {
  const forwarded = new WeakSet<IncomingMessage>();
  // The reader has checked the request, and keeps to the limits of its connection.
  const server = createServer({
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    maxHeaderSize: LIMITS.headerBytes + ADDED_BYTES,
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
  });
  server.maxHeadersCount = LIMITS.headerCount + ADDED_HEADERS;
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      forwarded.add(request);
      takeAddress(request);
      app.server.emit(event, request, response);
    });
  }
  app.decorate('listenForReaders', (path: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    const mask = process.umask(0o177);
    try {
      server.listen({ path, exclusive: true }, resolve);
    } finally {
      process.umask(mask);
    }
    return promise;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // Code that asks after the reply would get the address of the connection's next client.
    if (forwarded.has(request.raw)) Object.defineProperty(request, 'ip', { value: request.ip });
    done();
  });
  app.addHook('onClose', async () => {
    if (!server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeIdleConnections();
    await promise;
  });
}

function takeAddress(request: IncomingMessage): void {
  const { headers, rawHeaders, socket } = request;
  const value = headers[CLIENT_ADDRESS];
  delete headers[CLIENT_ADDRESS];
  // The reader has counted them; it and Node have added some.
  rawHeaders.length = 0;
  Object.defineProperty(socket, 'remoteAddress', { value, configurable: true });
}
