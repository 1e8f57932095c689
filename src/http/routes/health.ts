import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';

const OK = '{"status":"ok"}';
const DEGRADED = '{"status":"degraded","problems":["webhook deliveries are due and none is tried"]}';

/**
 * `/health`: the process is alive, nothing is waited for; `degraded` while webhooks are stuck, as it was known a moment ago.
 * `/ready`: the database answers, and the server is not about to stop, else 503.
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  { database, queueWatch }: Pick<OpenSite, 'database' | 'queueWatch'>,
): void {
  addRoute(app, '/health', 'guest', 'none', {
    GET: (_request, reply) => sendJson(reply, queueWatch.wasStuck() ? DEGRADED : OK),
  });
  addRoute(app, '/ready', 'guest', 'none', {
    GET: async (_request, reply) => {
      if (app.draining.aborted) throw new ServiceError('ServiceUnavailableError', 'The server is stopping');
      try {
        await database.ping();
      } catch {
        throw new ServiceError('ServiceUnavailableError', 'The database does not answer', {
          headers: { 'Retry-After': '5' },
        });
      }
      return sendJson(reply, '{"status":"ready"}');
    },
  });
}
