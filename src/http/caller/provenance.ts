import type { FastifyRequest } from 'fastify';
import type { Provenance } from '../../access/audit.ts';
import { isDoctypeInScope } from '../../access/key-scope.ts';
import { type CurrentUser, isSystemManager } from '../../access/user.ts';
import { ServiceError } from '../../kernel/errors.ts';

/**
 * The provenance of a request, for the audit log and for webhooks.
 * @throws ServiceError PermissionError when the request claims to be an import and its user may not import
 */
export function provenanceOf({ user, headers, ip, id }: FastifyRequest): Provenance {
  const origin = {
    credential:
      user.credential === null ? (user.isGuest ? 'none' : 'session') : credentialName(user.credential),
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

// A token names its own kind.
function credentialName(credential: string): string {
  return credential.includes(' ') ? credential : `key ${credential}`;
}

// These users could switch the webhooks off, too.
function mayImport(user: CurrentUser): true {
  if (isSystemManager(user) && isDoctypeInScope(user, 'Webhook')) return true;
  throw new ServiceError(
    'PermissionError',
    'Importing without webhooks requires the right to change webhooks',
    {
      title: 'Not permitted',
    },
  );
}
