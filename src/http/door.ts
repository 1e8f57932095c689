import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { startReply } from './headers.ts';
import { methodNotAllowed } from './route-table.ts';

/** Verbs of HTTP that some path here may offer. Node knows many more, and none of them means anything to us. */
const VERBS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Starts every reply, and refuses requests that could be understood in two ways or would reach too far. */
export function registerDoor(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    startReply(request, reply);
    const { raw } = request;
    const { host, authorization } = raw.headers;
    if (raw.rawHeaders.length > 2 * LIMITS.headerCount) {
      done(new ServiceError('HeadersTooLargeError', `A request has at most ${LIMITS.headerCount} headers`));
    } else if (host === undefined && raw.httpVersionMinor > 0) {
      done(new ServiceError('BadRequestError', 'The Host header is missing'));
    } else if (host?.includes(',') || authorization?.includes(', ')) {
      // Sent twice: a proxy in front may have believed the other one.
      done(new ServiceError('BadRequestError', 'A header that decides was sent twice'));
    } else if (raw.url?.includes('%00')) {
      done(new ServiceError('BadRequestError', 'The address contains NUL'));
    } else if (!VERBS.has(request.method)) {
      done(methodNotAllowed(request.method, [...VERBS].join(', ')));
    } else {
      done();
    }
  });
}

/** Observes every request when it is over. */
export function registerRequestLog(app: FastifyInstance, observe: Observer): void {
  app.addHook('onResponse', (request: FastifyRequest, reply, done) => {
    observe({
      kind: 'request',
      id: request.id,
      method: request.method,
      url: request.originalUrl,
      status: reply.statusCode,
      user: request.user?.name ?? '',
      millis: reply.elapsedTime,
    });
    done();
  });
}
