import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { tooOld } from '../limits/admission.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { HEALTH, READY } from './addresses.ts';

const STUCK = 'webhook deliveries are due and none is tried';

/**
 * `/health`: the process is alive. It waits for nothing, and says `degraded` while, by recent figures,
 * webhooks are stuck, a disk is full or the server is too old for its database. `/ready`: the database answers
 * and has room for changes, and the server is new enough and not about to stop; otherwise 503.
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  { database, fence, queueWatch, space }: Pick<OpenSite, 'database' | 'fence' | 'queueWatch' | 'space'>,
): void {
  addRoute(app, HEALTH, (_request, reply) => {
    const problems = space.full.map((of) => `no space is left for the ${of}`);
    if (fence.isUp) problems.push(tooOld().message);
    else if (queueWatch.wasStuck()) problems.push(STUCK);
    const health = problems.length === 0 ? { status: 'ok' } : { status: 'degraded', problems };
    return sendJson(reply, JSON.stringify(health));
  });
  const ready: RouteHandlerMethod = async (_request, reply) => {
    if (fence.isUp) throw tooOld();
    if (app.draining.aborted) throw new ServiceError('ServiceUnavailableError', 'The server is stopping');
    try {
      await database.ping();
    } catch {
      throw new ServiceError('ServiceUnavailableError', 'The database does not answer', {
        headers: { 'Retry-After': '5' },
      });
    }
    if (space.full.includes('database')) {
      throw new ServiceError('ServiceUnavailableError', 'No space is left for the database', {
        headers: { 'Retry-After': '5' },
      });
    }
    return sendJson(reply, '{"status":"ready"}');
  };
  // The writer tells for all workers, but each knows its own stop.
  addRoute(app, READY, ready, { isAnsweredByReaders: () => app.draining.aborted });
}
