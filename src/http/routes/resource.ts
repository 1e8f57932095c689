import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocType } from '../../doctype/doctype.ts';
import { type Context, readContext } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { deleteDocument } from '../../document/delete.ts';
import { runDocumentMethod } from '../../document/document-method.ts';
import { listDocumentsText } from '../../document/list.ts';
import { readDocumentWithRevision } from '../../document/read.ts';
import { unitOfWork } from '../../document/unit-of-work.ts';
import { updateDocument } from '../../document/update.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readArguments, readFields } from '../arguments.ts';
import { condition, documentAnswer, revised, sendRead } from '../document-reply.ts';
import { Answer, doOnce, sendAnswer } from '../once.ts';
import { originOf } from '../origin.ts';
import { presentResult } from '../present-result.ts';
import { messageBody, nameIgnored, sendJson, sendList } from '../reply.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';
import { asksForPage, PAGE_PARAMETERS, sendPage } from './page.ts';

/** Documents as resources: `/api/resource/<doctype>` and `/api/resource/<doctype>/<name>`. */
export function registerResourceRoutes(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, '/api/resource/:doctype', 'permission', 'list', {
    async GET(request, reply) {
      nameIgnored(request, reply, PAGE_PARAMETERS);
      const ctx = readContext(site, request.user, originOf(request));
      const query = queryOf(request);
      if (asksForPage(query)) return sendPage(reply, ctx, doctypeOf(request), query);
      return sendList(reply, '{"data":', await listDocumentsText(ctx, doctypeOf(request), query), '}');
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

  const resultBody = (result: unknown) => messageBody(presentResult(site, result), {}, 'data');
  const sendResult = (reply: FastifyReply, result: unknown) => sendJson(reply, resultBody(result));

  // Everything after the doctype is the name, slashes included.
  addRoute(app, '/api/resource/:doctype/*', 'permission', 'read', {
    async GET(request, reply) {
      const ctx = readContext(site, request.user);
      const { run_method: method } = queryOf(request);
      if (method) {
        const { run_method: _method, ...args } = queryOf(request);
        return sendResult(
          reply,
          await runDocumentMethod(ctx, { ...placeOf(request), method, verb: 'GET', args }),
        );
      }
      nameIgnored(request, reply, NO_PARAMETERS);
      const { doc, revision } = await readDocumentWithRevision(ctx, doctypeOf(request), nameOf(request));
      return sendRead(site, request, reply, { doc, revision });
    },

    // A method of the document, and nothing else.
    async POST(request, reply) {
      const { run_method: given, ...args } = readArguments(request);
      const method = given ?? queryOf(request).run_method;
      if (typeof method !== 'string' || method === '') {
        throw methodNotAllowed('POST', 'GET, PUT, DELETE, HEAD, OPTIONS');
      }
      const call = { ...placeOf(request), method, verb: 'POST', args } as const;
      const work = (ctx: Context) => runDocumentMethod(ctx, call);
      const present = (result: unknown) => new Answer(resultBody(result));
      return sendAnswer(reply, await doOnce(site, request, reply, work, present));
    },

    async PUT(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const doctypeName = doctypeOf(request);
      const fields = readFields(request, () => hasDataField(site, doctypeName));
      const options = condition(request);
      const work = async (ctx: Context) =>
        revised(ctx, await updateDocument(ctx, doctypeName, nameOf(request), fields, options));
      const changed = await unitOfWork(site, request.user, work, originOf(request));
      return sendAnswer(reply, documentAnswer(site, changed));
    },

    async DELETE(request, reply) {
      nameIgnored(request, reply, NO_PARAMETERS);
      const options = condition(request);
      const work = (ctx: Context) => deleteDocument(ctx, doctypeOf(request), nameOf(request), options);
      await unitOfWork(site, request.user, work, originOf(request));
      return sendJson(reply.code(202), '{"message":"ok","data":"ok"}');
    },
  });
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

function doctypeOf(request: FastifyRequest): string {
  return (request.params as { doctype: string }).doctype;
}

function placeOf(request: FastifyRequest) {
  return { doctypeName: doctypeOf(request), name: nameOf(request) };
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { '*': string })['*'];
}

function hasDataField(site: OpenSite, doctypeName: string): boolean {
  const doctype: DocType | undefined = site.doctypes.find(doctypeName);
  return doctype?.fieldByName.has('data') ?? false;
}
