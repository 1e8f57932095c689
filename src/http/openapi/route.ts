import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { CurrentUser } from '../../access/user.ts';
import type { DoctypeRegistry } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { takeTurns } from '../../kernel/turns.ts';
import { isRecord } from '../../kernel/value.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import type { MethodTable } from '../ask-method.ts';
import { OPENAPI } from '../docs/addresses.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
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
      ? await openApiDocument(site, methods, request.user, only).then(render)
      : await documents(request.user);
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    reply.header('vary', 'Authorization, Cookie');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
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
      document = openApiDocument(site, methods, user).then(render);
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

// In pieces, because a site may have hundreds of doctypes.
async function render(document: object): Promise<Rendered> {
  const turn = takeTurns();
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  for (const text of piecesOf(document, SECTIONS)) {
    const piece = Buffer.from(text);
    hash.update(piece);
    pieces.push(piece);
    await turn();
  }
  return { body: Buffer.concat(pieces), etag: `"${hash.digest('base64url').slice(0, 27)}"` };
}

/** Levels of a document above the entry of one path or one schema. */
const SECTIONS = 3;

/** The JSON text of an object, with its inner objects down to `levels` as pieces. */
function* piecesOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || !isRecord(value)) return yield JSON.stringify(value);
  let before = '{';
  for (const [key, inner] of Object.entries(value)) {
    yield `${before}${JSON.stringify(key)}:`;
    yield* piecesOf(inner, levels - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
