import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { CurrentUser } from '../../access/user.ts';
import type { DoctypeRegistry } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import type { MethodTable } from '../ask-method.ts';
import { OPENAPI } from '../docs/addresses.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { namesTag } from '../wire/names-tag.ts';
import { openApiDocument } from './document.ts';

interface Rendered {
  readonly body: Buffer;
  readonly etag: string;
}

/** `/api/openapi.json`: describes everything that the caller, Guest included, may use. */
export function registerOpenApiRoute(app: FastifyInstance, site: OpenSite, methods: MethodTable): void {
  const documents = documentCache(site, methods);
  addRoute(app, OPENAPI, async (request, reply) => {
    const only = queryOf(request)['doctype'];
    const { body, etag } = only
      ? await render(openApiDocument(site, methods, request.user, only))
      : await documents(request.user);
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    reply.header('vary', 'Authorization, Cookie');
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return sendJson(reply, body);
  });
}

// All users with the same roles share one document until a doctype changes; concurrent requests wait for the
// same one.
function documentCache(site: OpenSite, methods: MethodTable): (user: CurrentUser) => Promise<Rendered> {
  let registry: DoctypeRegistry | null = null;
  let documents = new Map<string, Promise<Rendered>>();
  return (user) => {
    if (registry !== site.doctypes) {
      registry = site.doctypes;
      documents = new Map();
    }
    const roles = user.isAdministrator ? 'Administrator' : JSON.stringify([...user.roles].sort());
    const key = roles + (user.scope?.mark ?? '');
    let document = documents.get(key);
    if (!document) {
      document = render(openApiDocument(site, methods, user));
      document.catch(() => documents.delete(key));
    }
    // Drops the least recently used document.
    documents.delete(key);
    documents.set(key, document);
    const [oldest] = documents.keys();
    if (documents.size > LIMITS.apiDocuments && oldest !== undefined) documents.delete(oldest);
    return document;
  };
}

async function render(pieces: AsyncIterable<string>): Promise<Rendered> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let text = '';
  const flush = () => {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    chunks.push(chunk);
    text = '';
  };
  for await (const piece of pieces) {
    text += piece;
    if (text.length > CHUNK) flush();
  }
  flush();
  return { body: Buffer.concat(chunks), etag: `"${hash.digest('base64url').slice(0, 27)}"` };
}

/** Characters of a document that become bytes at a time. */
const CHUNK = 64 * 1024;
