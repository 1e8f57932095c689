import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Document } from '../doctype/doctype.ts';
import type { Expectation } from '../document/check/latest.ts';
import type { Context, Site } from '../document/context.ts';
import { entityTag, parseEntityTag } from '../document/entity-tag.ts';
import type { Loaded } from '../document/load.ts';
import { presentDocument } from '../document/present.ts';
import { ServiceError } from '../kernel/errors.ts';
import { jsonText } from '../kernel/json-text.ts';
import { Answer, sendAnswer } from './once.ts';

/** A document that was written; the revision is null where a write has none. */
export interface Written {
  readonly doc: Document;
  readonly revision: number | null;
}

/** A document with the revision that its write gave it, found in what the transaction did. */
export function revised(ctx: Context, doc: Document): Written {
  const event = ctx.events.findLast((one) => one.doctype.name === doc.doctype && one.doc.name === doc.name);
  return { doc, revision: event && !event.doctype.is_virtual ? event.revision : null };
}

/** `{"data": document}` without nulls, with its ETag. */
export function documentAnswer(site: Site, { doc, revision }: Written): Answer {
  const wire = presentDocument(site.doctypes, doc, {
    nulls: false,
    precision: site.settings.timestampPrecision,
  });
  const etag = revision === null ? null : `"${entityTag(site.doctypes, { doc, revision })}"`;
  return new Answer(jsonText({ data: wire }), 200, etag);
}

/** A document that was read; 304 for a client that has it. */
export function sendRead(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { doc, revision }: Loaded,
): FastifyReply {
  const etag = `"${entityTag(site.doctypes, { doc, revision })}"`;
  const known = request.headers['if-none-match'];
  if (known !== undefined && matches(known, etag)) return reply.header('etag', etag).code(304).send();
  return sendAnswer(reply, documentAnswer(site, { doc, revision }));
}

/**
 * What `If-Match` asks for. `*` asks for any document, which the verbs demand anyway.
 * @throws ServiceError PreconditionFailedError when no document can match what was sent
 */
export function condition(request: FastifyRequest): Expectation {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return {};
  const known = parseEntityTag(/^"([^"]*)"$/.exec(header.trim())?.[1] ?? '');
  if (known === null) {
    throw new ServiceError('PreconditionFailedError', 'If-Match is not an ETag of this server');
  }
  return { ifMatch: known.revision, ifMatchDigest: known.digest };
}

// If-None-Match compares weakly (RFC 9110, 13.1.2).
function matches(header: string, etag: string): boolean {
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
