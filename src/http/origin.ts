import type { FastifyRequest } from 'fastify';
import type { Origin } from '../access/audit.ts';
import { isDoctypeInScope } from '../access/key-scope.ts';
import { type CurrentUser, isSystemManager } from '../access/user.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Where a request comes from: for the audit log, and for what webhooks make of it.
 * @throws ServiceError PermissionError when it says that it is an import and its user may not
 */
export function originOf({ user, headers, ip, id }: FastifyRequest): Origin {
  const origin = {
    credential: user.credential === null ? (user.isGuest ? 'none' : 'session') : nameOf(user.credential),
    address: ip,
    agent: headers['user-agent'] ?? null,
    requestId: id,
  };
  const chain = headers['webhook-chain'];
  const trace = headers['traceparent'];
  const imports = headers['chancery-import'];
  if (chain === undefined && trace === undefined && imports === undefined) return origin;
  return {
    ...origin,
    ...(typeof chain === 'string' ? { chain } : {}),
    ...(typeof trace === 'string' ? { trace } : {}),
    ...(imports === '1' && mayImport(user) ? { isImport: true as const } : {}),
  };
}

// A token says itself what it is of.
function nameOf(credential: string): string {
  return credential.includes(' ') ? credential : `key ${credential}`;
}

// Who could switch the webhooks off, too.
function mayImport(user: CurrentUser): true {
  if (isSystemManager(user) && isDoctypeInScope(user, 'Webhook')) return true;
  throw new ServiceError('PermissionError', 'Only who may change webhooks may import without them', {
    title: 'Not permitted',
  });
}
