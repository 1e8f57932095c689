import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../../document/contract.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Random } from '../../kernel/random.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On every reply; a route that serves something other than JSON replaces these values. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
];

/** Sets the headers that every reply carries, whatever its outcome. */
export function startReply(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of SECURITY_HEADERS) reply.header(name, value);
  reply.header('x-request-id', request.id);
}

/**
 * The client's own `X-Request-Id` when it is short and plain; otherwise a new one, unique across all nodes.
 */
export function requestIds(random: Random): (request?: IncomingMessage) => string {
  const node = random.bytes(9).toString('base64url');
  let count = 0;
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given === 'string' && isSane(given)) return given;
    count += 1;
    return `${node}-${count.toString(36)}`;
  };
}

function isSane(id: string): boolean {
  return id.length <= LIMITS.requestIdLength && /^[\w.:-]+$/.test(id);
}

const EXPOSED = [
  'ETag, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Chancery-Position',
  'X-Ignored-Parameters, X-Request-Id',
  'Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm',
  'Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires, Upload-Document',
].join(', ');

/**
 * Lets pages of the allowed origins call the API from a browser. Without allowed origins, no reply carries a
 * CORS header.
 */
export function registerCors(app: FastifyInstance, site: Pick<Site, 'settings'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { allowedOrigins } = site.settings;
    if (allowedOrigins.size === 0) return done();
    reply.header('vary', 'Origin');
    const origin = request.headers.origin;
    if (origin === undefined || !(allowedOrigins.has('*') || allowedOrigins.has(origin))) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-allow-credentials', 'true');
    reply.header('access-control-expose-headers', EXPOSED);
    if (request.method !== 'OPTIONS') return done();
    reply.header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined) reply.header('access-control-allow-headers', wanted);
    reply.header('access-control-max-age', '86400');
    done();
  });
}
