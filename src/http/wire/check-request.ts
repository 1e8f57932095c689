import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { noteReply } from './client-error.ts';
import { startReply } from './headers.ts';
import { isRequestTarget } from './url.ts';
import { methodNotAllowed, VERBS_OF_HTTP } from './verbs.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the route declares; null before a route is chosen. `routeOptions` makes a new object each time. */
    declared: FastifyContextConfig | null;
  }
}

const VERBS: ReadonlySet<string> = new Set(VERBS_OF_HTTP);

/**
 * Characters that no host and port contains. A comma: the header was sent twice, and a proxy in front may use
 * the other value.
 */
const NOT_IN_A_HOST = /[\s,/\\@?#]/;

/**
 * Starts every reply. Refuses requests that are ambiguous or could reach another server. Drops an invalid
 * `Content-Type`, for which Fastify would refuse the request without reading its body.
 */
export function registerRequestChecks(app: FastifyInstance): void {
  app.decorateRequest('declared', null);
  app.addHook('onRequest', (request, reply, done) => {
    request.declared = request.routeOptions.config;
    startReply(request, reply);
    noteReply(reply);
    const { raw } = request;
    const { host, authorization, expect, 'content-type': type, 'transfer-encoding': coding } = raw.headers;
    if (type !== undefined && !request.mediaType) delete raw.headers['content-type'];
    if (raw.rawHeaders.length > 2 * LIMITS.headerCount) {
      done(
        new ServiceError('HeadersTooLargeError', `A request may have at most ${LIMITS.headerCount} headers`),
      );
    } else if (raw.httpVersionMajor !== 1) {
      done(new ServiceError('BadRequestError', 'The server supports only HTTP/1.1'));
    } else if (host === undefined && raw.httpVersionMinor > 0) {
      done(new ServiceError('BadRequestError', 'The Host header is missing'));
    } else if (host !== undefined && NOT_IN_A_HOST.test(host)) {
      done(new ServiceError('BadRequestError', 'The Host header is not a host, or was sent twice'));
    } else if (authorization?.includes(', ')) {
      done(new ServiceError('BadRequestError', 'The Authorization header was sent twice'));
    } else if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersionMinor === 0)) {
      // Node reads `gzip, chunked` as chunks that nobody decompresses. It also accepts chunks in HTTP/1.0,
      // which has none.
      done(
        new ServiceError('BadRequestError', 'The Transfer-Encoding is not supported', {
          headers: { Connection: 'close' },
        }),
      );
    } else if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      done(new ServiceError('ValidationError', 'The only expectation the server can meet is 100-continue'));
    } else if (!isRequestTarget(request.originalUrl, request.method)) {
      done(new ServiceError('BadRequestError', 'The target of the request is neither a path nor an address'));
    } else if (raw.url?.includes('%00')) {
      done(new ServiceError('BadRequestError', 'The address contains NUL'));
    } else if (!VERBS.has(request.method)) {
      done(methodNotAllowed(request.method, VERBS_OF_HTTP.join(', ')));
    } else {
      done();
    }
  });
}
