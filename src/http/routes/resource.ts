import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { readContext } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { deleteDocument } from '../../document/delete.ts';
import { listDocumentsJson } from '../../document/list.ts';
import { presentDocument } from '../../document/present.ts';
import { readDocumentWithRevision } from '../../document/read.ts';
import { unitOfWork } from '../../document/unit-of-work.ts';
import { updateDocument } from '../../document/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIST_PARAMETERS } from '../../query/list-query.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readFields } from '../arguments.ts';
import { nameIgnored, sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';

/** Documents as resources: `/api/resource/<doctype>` and `/api/resource/<doctype>/<name>`. */
export function registerResourceRoutes(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, '/api/resource/:doctype', 'permission', {
    async GET(request, reply) {
      nameIgnored(request, reply, LIST_PARAMETERS);
      const ctx = readContext(site, request.user);
      const rows = await listDocumentsJson(ctx, doctypeOf(request), queryOf(request));
      return sendJson(reply, `{"data":${rows}}`);
    },

    async POST(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const doctypeName = doctypeOf(request);
      const fields = readFields(request, () => hasDataField(site, doctypeName));
      const doc = await unitOfWork(site, request.user, (ctx) => createDocument(ctx, doctypeName, fields));
      return sendDocument(site, reply, doc);
    },
  });

  // Everything after the doctype is the name, slashes included.
  addRoute(app, '/api/resource/:doctype/*', 'permission', {
    async GET(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const ctx = readContext(site, request.user);
      const { doc, revision } = await readDocumentWithRevision(ctx, doctypeOf(request), nameOf(request));
      const etag = `"${revision}"`;
      reply.header('etag', etag);
      const known = request.headers['if-none-match'];
      if (known !== undefined && matches(known, etag)) return reply.code(304).send();
      return sendDocument(site, reply, doc);
    },

    async PUT(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const doctypeName = doctypeOf(request);
      const fields = readFields(request, () => hasDataField(site, doctypeName));
      const options = condition(request);
      const doc = await unitOfWork(site, request.user, (ctx) =>
        updateDocument(ctx, doctypeName, nameOf(request), fields, options),
      );
      return sendDocument(site, reply, doc);
    },

    async DELETE(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const options = condition(request);
      await unitOfWork(site, request.user, (ctx) =>
        deleteDocument(ctx, doctypeOf(request), nameOf(request), options),
      );
      return sendJson(reply.code(202), '{"message":"ok","data":"ok"}');
    },
  });
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

function doctypeOf(request: FastifyRequest): string {
  return (request.params as { doctype: string }).doctype;
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { '*': string })['*'];
}

function hasDataField(site: OpenSite, doctypeName: string): boolean {
  const doctype: DocType | undefined = site.doctypes.find(doctypeName);
  return doctype?.fieldByName.has('data') ?? false;
}

function sendDocument(site: OpenSite, reply: FastifyReply, doc: Document): FastifyReply {
  const wire = presentDocument(site.doctypes, doc, {
    nulls: false,
    precision: site.config.timestampPrecision,
  });
  return sendJson(reply, `{"data":${JSON.stringify(wire)}}`);
}

/**
 * The revision that `If-Match` asks for. `*` asks for any, which the verbs demand anyway.
 * @throws ServiceError PreconditionFailedError when no revision can match what was sent
 */
function condition(request: FastifyRequest): { readonly ifMatch?: number } {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return {};
  const revision = /^\s*"(\d{1,15})"\s*$/.exec(header)?.[1];
  if (revision === undefined) {
    throw new ServiceError('PreconditionFailedError', 'If-Match is not an ETag of this server');
  }
  return { ifMatch: Number(revision) };
}

// If-None-Match compares weakly (RFC 9110, 13.1.2).
function matches(header: string, etag: string): boolean {
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
