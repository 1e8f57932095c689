import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';

/** `/health`: the process is alive, nothing else is asked. `/ready`: the database answers, else 503. */
export function registerHealthRoutes(app: FastifyInstance, database: Database): void {
  addRoute(app, '/health', 'guest', 'none', {
    GET: (_request, reply) => sendJson(reply, '{"status":"ok"}'),
  });
  addRoute(app, '/ready', 'guest', 'none', {
    GET: async (_request, reply) => {
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
