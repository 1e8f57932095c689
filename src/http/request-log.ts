import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Site } from '../document/contract.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Counts every finished request, and observes it where the settings ask for that. */
export function registerRequestLog(
  app: FastifyInstance,
  site: Pick<Site, 'settings' | 'observe'> & { readonly metrics: Metrics },
): void {
  app.addHook('onResponse', (request: FastifyRequest, reply, done) => {
    if (request.isForwarded) return done();
    site.metrics.request(request.declared?.work ?? 'none', reply.statusCode, reply.elapsedTime);
    if (!site.settings.logRequests) return done();
    site.observe({
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
