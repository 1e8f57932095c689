import type { FastifyRequest } from 'fastify';
import type { Origin } from '../access/audit.ts';

/** Where a request comes from, for the audit log. The secret half of what it authenticates with is left out. */
export function originOf(request: FastifyRequest): Origin {
  const { authorization, cookie, 'user-agent': agent } = request.headers;
  return {
    credential: authorization === undefined ? (cookie ? 'session' : 'none') : credentialOf(authorization),
    address: request.ip,
    agent: agent ?? null,
    requestId: request.id,
  };
}

// As in access/authenticate.ts; what could not be read there was refused before anybody asks here.
function credentialOf(authorization: string): string {
  const [scheme = '', given = ''] = authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() === 'bearer') return 'bearer token';
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(given, 'base64').toString('utf8') : given;
  const colon = pair.indexOf(':');
  return colon > 0 ? `key ${pair.slice(0, colon)}` : 'none';
}
