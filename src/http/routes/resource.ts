import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocType } from '../../doctype/doctype.ts';
import { type Context, readContext } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { deleteDocument } from '../../document/delete.ts';
import { listDocumentsJson } from '../../document/list.ts';
import { readDocumentWithRevision } from '../../document/read.ts';
import { unitOfWork } from '../../document/unit-of-work.ts';
import { updateDocument } from '../../document/update.ts';
import { LIST_PARAMETERS } from '../../query/list-query.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readFields } from '../arguments.ts';
import { condition, documentAnswer, revised, sendRead } from '../document-reply.ts';
import { doOnce, sendAnswer } from '../once.ts';
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
      const work = async (ctx: Context) => revised(ctx, await createDocument(ctx, doctypeName, fields));
      return sendAnswer(
        reply,
        await doOnce(site, request, reply, work, (made) => documentAnswer(site, made)),
      );
    },
  });

  // Everything after the doctype is the name, slashes included.
  addRoute(app, '/api/resource/:doctype/*', 'permission', {
    async GET(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const ctx = readContext(site, request.user);
      const { doc, revision } = await readDocumentWithRevision(ctx, doctypeOf(request), nameOf(request));
      return sendRead(site, request, reply, { doc, revision });
    },

    async PUT(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const doctypeName = doctypeOf(request);
      const fields = readFields(request, () => hasDataField(site, doctypeName));
      const options = condition(request);
      const changed = await unitOfWork(site, request.user, async (ctx) =>
        revised(ctx, await updateDocument(ctx, doctypeName, nameOf(request), fields, options)),
      );
      return sendAnswer(reply, documentAnswer(site, changed));
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
