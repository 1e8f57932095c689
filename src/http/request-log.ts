import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Site } from '../document/contract.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Counts every finished request, and observes it where the settings ask for that, or when it was slow. */
export function registerRequestLog(
  app: FastifyInstance,
  site: Pick<Site, 'settings' | 'observe' | 'config'> & { readonly metrics: Metrics },
): void {
  const { logSlowRequests } = site.config;
  app.decorateRequest('timing', null);
  app.addHook('onResponse', (request: FastifyRequest, reply, done) => {
    if (request.isForwarded) return done();
    site.metrics.request(request.declared?.work ?? 'none', reply.statusCode, reply.elapsedTime);
    const { timing } = request;
    const isSlow = timing !== null && logSlowRequests > 0 && reply.elapsedTime >= logSlowRequests;
    if (!isSlow && !site.settings.logRequests) return done();
    const facts = {
      id: request.id,
      method: request.method,
      url: request.originalUrl,
      status: reply.statusCode,
      user: request.user?.name ?? '',
      millis: reply.elapsedTime,
    };
    if (isSlow) site.observe({ kind: 'request_slow', ...facts, stages: timing.summary() });
    else site.observe({ kind: 'request', ...facts });
    done();
  });
}
