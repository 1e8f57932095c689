import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requirePermission } from '../../access/permission.ts';
import { type Context, readContext } from '../../document/context.ts';
import { copyDocument } from '../../document/copy.ts';
import { createDocument } from '../../document/create.ts';
import { deleteDocument } from '../../document/delete.ts';
import { runDocumentMethod } from '../../document/document-method.ts';
import { visibleTo } from '../../document/permit.ts';
import { presentDocument } from '../../document/present.ts';
import { readDocument, readDocumentWithRevision } from '../../document/read.ts';
import { unitOfWork } from '../../document/unit-of-work.ts';
import { updateDocument } from '../../document/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { jsonText } from '../../kernel/json-text.ts';
import type { Fields } from '../../kernel/value.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readArguments, readFields, textArgument } from '../arguments.ts';
import { type BulkItem, bulkReport, namesArgument, recordsArgument, runBulk } from '../bulk.ts';
import { includedParts } from '../docinfo.ts';
import { condition, documentAnswer, revised, sendRead } from '../document-reply.ts';
import { Answer, doOnce, sendAnswer } from '../once.ts';
import { originOf } from '../origin.ts';
import { presentResult } from '../present-result.ts';
import { messageBody, nameIgnored, sendJson } from '../reply.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';
import { PAGE_PARAMETERS, sendSecondVersionPage } from './page.ts';

type Handler = (target: Target, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The second version of the documents' interface: `/api/v2/document/<doctype>[/<name>[/copy | /method/<method>]]`. */
export function registerDocumentRoutes(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, '/api/v2/document/:doctype', 'permission', 'list', {
    async GET(request, reply) {
      nameIgnored(request, reply, PAGE_PARAMETERS);
      const { doctypeName } = targetOf(request);
      const ctx = readContext(site, request.user, originOf(request));
      return sendSecondVersionPage(reply, ctx, doctypeName, queryOf(request));
    },

    async POST(request, reply) {
      const { doctypeName } = targetOf(request);
      const fields = named(readFields(request, () => hasDataField(site, doctypeName)));
      const work = async (ctx: Context) => revised(ctx, await createDocument(ctx, doctypeName, fields));
      return sendAnswer(
        reply,
        await doOnce(site, request, reply, work, (made) => documentAnswer(site, made)),
      );
    },
  });

  const change: Handler = async ({ doctypeName, name }, request, reply) => {
    const fields = readFields(request, () => hasDataField(site, doctypeName));
    const options = condition(request);
    const work = async (ctx: Context) =>
      revised(ctx, await updateDocument(ctx, doctypeName, name, fields, options));
    const changed = await unitOfWork(site, request.user, work, originOf(request));
    return sendAnswer(reply, documentAnswer(site, changed));
  };

  const handlers: Readonly<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Handler>> = {
    async GET(target, request, reply) {
      const ctx = readContext(site, request.user);
      const { doctypeName, name, method } = target;
      if (target.part === 'copy') return sendJson(reply, await copyBody(ctx, doctypeName, name));
      if (method !== null) {
        const call = { doctypeName, name, method, verb: 'GET', args: queryOf(request) } as const;
        return sendJson(reply, resultBody(site, await runDocumentMethod(ctx, call)));
      }
      nameIgnored(request, reply, READ_PARAMETERS);
      const read = await readDocumentWithRevision(ctx, doctypeName, name);
      const { include } = queryOf(request);
      if (!include) return sendRead(site, request, reply, read);
      const { doc } = read;
      const parts = await includedParts(ctx, site.doctypes.get(doc.doctype), doc, include);
      // Without an ETag: the parts change without the document.
      const body = documentAnswer(site, { doc, revision: null }).body;
      return sendJson(reply, `${body.slice(0, -1)},${jsonText(parts).slice(1)}`);
    },

    async POST(target, request, reply) {
      const { doctypeName, name, method } = target;
      if (method !== null) {
        const call = { doctypeName, name, method, verb: 'POST', args: readArguments(request) } as const;
        const work = (ctx: Context) => runDocumentMethod(ctx, call);
        const present = (result: unknown) => new Answer(resultBody(site, result));
        return sendAnswer(reply, await doOnce(site, request, reply, work, present));
      }
      if (target.part === 'document' && (name === 'bulk_delete' || name === 'bulk_update')) {
        return sendJson(reply, await bulkBody(site, target, name, request, reply));
      }
      throw methodNotAllowed(
        'POST',
        target.part === 'document' ? 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' : 'GET',
      );
    },

    PUT: change,
    PATCH: change,

    async DELETE({ doctypeName, name }, request, reply) {
      const options = condition(request);
      const work = (ctx: Context) => deleteDocument(ctx, doctypeName, name, options);
      await unitOfWork(site, request.user, work, originOf(request));
      return sendJson(reply.code(202), '{"data":"ok"}');
    },
  };
  const routed = (verb: keyof typeof handlers) => (request: FastifyRequest, reply: FastifyReply) => {
    const target = targetOf(request);
    const writes = verb !== 'GET' && verb !== 'POST';
    if (writes && target.part !== 'document') throw methodNotAllowed(verb, 'GET, POST, HEAD, OPTIONS');
    return handlers[verb](target, request, reply);
  };
  addRoute(app, '/api/v2/document/:doctype/*', 'permission', 'read', {
    GET: routed('GET'),
    POST: routed('POST'),
    PUT: routed('PUT'),
    PATCH: routed('PATCH'),
    DELETE: routed('DELETE'),
  });
}

const READ_PARAMETERS: ReadonlySet<string> = new Set(['include']);

interface Target {
  readonly doctypeName: string;
  readonly name: string;
  readonly part: 'document' | 'copy' | 'method';
  readonly method: string | null;
}

/**
 * What the path means. Names may hold slashes, so `/copy` and `/method/<method>` count only at the end and as they are:
 * the document `a/copy` is `a%2Fcopy`.
 */
function targetOf(request: FastifyRequest): Target {
  const path = (request.url.split('?', 1)[0] ?? '').slice('/api/v2/document/'.length);
  const [doctype = '', ...rest] = path.split('/');
  const doctypeName = decoded(doctype);
  if (rest.length > 1 && rest.at(-1) === 'copy') {
    return { doctypeName, name: decoded(rest.slice(0, -1).join('/')), part: 'copy', method: null };
  }
  if (rest.length > 2 && rest.at(-2) === 'method') {
    const name = decoded(rest.slice(0, -2).join('/'));
    return { doctypeName, name, part: 'method', method: decoded(rest.at(-1) ?? '') };
  }
  return { doctypeName, name: decoded(rest.join('/')), part: 'document', method: null };
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new ServiceError('BadRequestError', 'The address is not valid');
  }
}

/** This version honours a name where the first one asks for `__newname`. */
function named(fields: Fields): Fields {
  const name = Object.hasOwn(fields, 'name') ? fields['name'] : undefined;
  return name === undefined || Object.hasOwn(fields, '__newname') ? fields : { ...fields, __newname: name };
}

function hasDataField(site: OpenSite, doctypeName: string): boolean {
  return site.doctypes.find(doctypeName)?.fieldByName.has('data') ?? false;
}

function resultBody(site: OpenSite, result: unknown): string {
  return messageBody(presentResult(site, result), {}, 'data');
}

const NOT_COPIED = [
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'parent',
  'parentfield',
  'parenttype',
];

async function copyBody(ctx: Context, doctypeName: string, name: string): Promise<string> {
  const source = await readDocument(ctx, doctypeName, name);
  const doctype = ctx.doctypes.get(source.doctype);
  const copy = await visibleTo(ctx, doctype, copyDocument(ctx, doctype, source));
  const precision = ctx.site.settings.timestampPrecision;
  const wire = presentDocument(ctx.doctypes, copy, { nulls: false, precision });
  const rows = Object.values(wire).flatMap((value) => (Array.isArray(value) ? value : []));
  for (const holder of [wire, ...rows]) for (const key of NOT_COPIED) delete holder[key];
  return jsonText({ data: wire });
}

async function bulkBody(
  site: OpenSite,
  { doctypeName }: Target,
  verb: 'bulk_delete' | 'bulk_update',
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const args = readArguments(request);
  const deletes = verb === 'bulk_delete';
  requirePermission(request.user, site.doctypes.get(doctypeName), deletes ? 'delete' : 'write');
  const items: readonly BulkItem[] = deletes
    ? namesArgument(args, 'names').map((name) => ({ doctypeName, name, fields: null }))
    : recordsArgument(args, 'docs').map(({ doctype: _doctype, name, ...fields }) => ({
        doctypeName,
        name: textArgument({ name }, 'name'),
        fields,
      }));
  const outcomes = await runBulk({ site, request, reply, more: {} }, items);
  const report = bulkReport(deletes ? 'deleted' : 'updated', items, outcomes, ({ name }) => name);
  return messageBody(report, {}, 'data');
}
