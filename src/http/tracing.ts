import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenSpan, SpanMaker } from '../observe/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; null where there is no tracing. */
    span: OpenSpan | null;
  }
}

/**
 * Makes a span of each request, which continues the trace of its `traceparent`. From then on, `traceparent` names this
 * span: deliveries of webhooks that the request causes are below it.
 */
export function registerTracing(app: FastifyInstance, tracing: SpanMaker | null): void {
  if (tracing === null) return;
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    // Probes would fill the traces.
    if ((request.declared?.work ?? 'none') === 'none') return done();
    const span = begin(tracing, request);
    request.span = span;
    request.headers['traceparent'] = span.traceparent;
    span.within(done);
  });
  // Code behind the body runs where its last piece arrived.
  app.addHook('preHandler', ({ span }, _reply, done) => {
    if (span === null) done();
    else span.within(done);
  });
  app.addHook('onResponse', ({ span, user }, reply, done) => {
    span?.set('http.response.status_code', reply.statusCode);
    span?.set('user.name', user?.name ?? '');
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
    done();
  });
}

function begin(tracing: SpanMaker, request: FastifyRequest): OpenSpan {
  const { method, routeOptions, headers, id } = request;
  const route = routeOptions.url ?? '';
  const given = headers['traceparent'];
  return tracing.continue(typeof given === 'string' ? given : null, `${method} ${route}`, 'server', {
    'http.request.method': method,
    'http.route': route,
    // Without the query, which may hold secrets.
    'url.path': request.originalUrl.split('?', 1)[0] ?? '',
    'chancery.request_id': id,
  });
}
