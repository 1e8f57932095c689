import type { FastifyRequest } from 'fastify';
import { requireDocumentsInScope, requireMethodInScope } from '../../access/key-scope.ts';

/**
 * Refuses an address outside the scope of the request's credential: a method with an address of its own, or
 * documents for a key that is limited to methods. A method that the request names is checked when it is
 * called, and `access/permission.ts` checks the scope on documents at each access.
 * @throws ServiceError PermissionError
 */
export function requireRouteInScope({ user, declared, method }: FastifyRequest): void {
  const { access, calls = null } = declared ?? {};
  if (user.scope === null || calls === '*') return;
  if (calls !== null) requireMethodInScope(user, calls, method === 'GET' || method === 'HEAD');
  else if (access !== 'guest') requireDocumentsInScope(user);
}
