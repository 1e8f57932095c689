import type { FastifyRequest } from 'fastify';
import { requireDocumentsInScope, requireMethodInScope } from '../access/key-scope.ts';

/** Routes that call whatever method their request names: `callMethod` looks at the scope. */
const CALLS: ReadonlySet<string> = new Set([
  '/',
  '/api/method/:method',
  '/api/method/:method/*',
  '/api/v2/method/:method',
]);

/**
 * Refuses a route that the credential of the request is not for: a method with a route of its own, or documents to a key for
 * methods. What a key may do with documents, `access/permission.ts` says at each. @throws ServiceError PermissionError
 */
export function requireRouteInScope(request: FastifyRequest): void {
  const { user, routeOptions, method } = request;
  const { url = '', config } = routeOptions;
  if (user.scope === null || CALLS.has(url)) return;
  const [, called] = /^\/api\/(?:v2\/)?method\/([\w.]+)$/.exec(url) ?? [];
  // Another way to do the same.
  const named = url.startsWith('/api/files/tus') ? 'upload_file' : called;
  if (named !== undefined) requireMethodInScope(user, named, method === 'GET' || method === 'HEAD');
  else if (config?.access !== 'guest') requireDocumentsInScope(user);
}
