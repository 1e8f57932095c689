import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { addRoute } from '../route-table.ts';
import { chooseCoding, varyByCoding } from '../wire/content-coding.ts';
import { DOCS, DOCS_ASSET } from './addresses.ts';
import { loadReference, type Reference } from './assets.ts';

// The viewer sets styles through the DOM, which no policy counts as inline, and draws icons from data: URLs.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/docs`: the API reference, from which readers can try requests. This server serves all of its parts. */
export function registerDocsRoutes(app: FastifyInstance): void {
  let reference: Promise<Reference> | null = null;
  const load = () => {
    reference ??= loadReference().catch((error: unknown) => {
      reference = null;
      throw error;
    });
    return reference;
  };

  addRoute(app, DOCS, async (_request, reply) => {
    const { page } = await load();
    reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache');
    return reply.header('content-type', 'text/html; charset=utf-8').send(page);
  });

  addRoute(app, DOCS_ASSET, async (request, reply) => {
    const { asset: name } = request.params as { asset: string };
    const asset = (await load()).assets.get(name);
    if (!asset) throw new ServiceError('DoesNotExistError', `/docs/${name} not found`);
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    reply.header('content-type', asset.type);
    varyByCoding(reply);
    const coding = chooseCoding(request.headers['accept-encoding'], (one) => one === 'gzip');
    if (coding === null) return reply.send(asset.bytes);
    return reply.header('content-encoding', 'gzip').send(asset.gzipped);
  });
}
