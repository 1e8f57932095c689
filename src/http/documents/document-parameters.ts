import type { FastifyRequest } from 'fastify';
import type { Expectation } from '../../document/check/latest.ts';
import { parseEntityTag } from '../../document/load/entity-tag.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { OpenSite } from '../../site/start/open-site.ts';

/** True when documents of the doctype have a field `data`, so that `{"data": …}` may be a plain document. */
export function withDataField(site: OpenSite, doctypeName: string): () => boolean {
  return () => site.doctypes.find(doctypeName)?.fieldByName.has('data') ?? false;
}

/** The second version accepts `name` where the first one uses `__newname`. */
export function named(fields: Fields): Fields {
  const name = Object.hasOwn(fields, 'name') ? fields['name'] : undefined;
  return name === undefined || Object.hasOwn(fields, '__newname') ? fields : { ...fields, __newname: name };
}

/**
 * The revision that `If-Match` expects. `*` matches any document, and the verbs require one anyway.
 * @throws ServiceError PreconditionFailedError when no document can match the header
 */
export function expectedBy(request: FastifyRequest): Expectation {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return {};
  const known = parseEntityTag(/^"([^"]*)"$/.exec(header.trim())?.[1] ?? '');
  if (known === null) {
    throw new ServiceError('PreconditionFailedError', 'If-Match is not an ETag of this server');
  }
  return { ifMatch: known.revision, ifMatchRestored: known.restored, ifMatchDigest: known.digest };
}
