import type { FastifyRequest } from 'fastify';
import type { Origin } from '../access/audit.ts';

/** Where a request comes from, for the audit log. */
export function originOf({ user, headers, ip, id }: FastifyRequest): Origin {
  return {
    credential: user.credential === null ? (user.isGuest ? 'none' : 'session') : nameOf(user.credential),
    address: ip,
    agent: headers['user-agent'] ?? null,
    requestId: id,
  };
}

// A token says itself what it is of.
function nameOf(credential: string): string {
  return credential.includes(' ') ? credential : `key ${credential}`;
}
