import type { FastifyRequest } from 'fastify';
import { requireDocumentsInScope, requireMethodInScope } from '../../access/key-scope.ts';

/** Routes that call any method that their request names: `callMethod` checks the scope. */
export const CALLS: ReadonlySet<string> = new Set([
  '/',
  '/api/method/:method',
  '/api/method/:method/*',
  '/api/v2/method/:method',
]);

/**
 * Refuses a route outside the scope of the request's credential: a method with a route of its own, or
 * documents for a key that is limited to methods. `access/permission.ts` checks the scope on documents at
 * each access. @throws ServiceError PermissionError
 */
export function requireRouteInScope(request: FastifyRequest): void {
  const { user, routeOptions, method } = request;
  const { url = '', config } = routeOptions;
  if (user.scope === null || CALLS.has(url)) return;
  const [, called] = /^\/api\/(?:v2\/)?method\/([\w.]+)$/.exec(url) ?? [];
  // Another address of the same method.
  const named = url.startsWith('/api/files/tus') ? 'upload_file' : called;
  if (named !== undefined) requireMethodInScope(user, named, method === 'GET' || method === 'HEAD');
  else if (config?.access !== 'guest') requireDocumentsInScope(user);
}
