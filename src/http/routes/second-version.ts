import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { countDocuments } from '../../document/list.ts';
import { describeDoctype } from '../../site/describe-doctype.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readArguments } from '../arguments.ts';
import { sendAnswer } from '../once.ts';
import { nameIgnored, sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { callMethod, type MethodTable } from './method.ts';

/** What `/api/v2` offers besides documents: methods, and what there is to know of a doctype. */
export function registerSecondVersion(app: FastifyInstance, site: OpenSite, methods: MethodTable): void {
  const byPath = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method: name } = request.params as { method: string };
    const call = { name, args: readArguments(request), envelope: 'data' } as const;
    return sendAnswer(reply, await callMethod(site, methods, call, request, reply));
  };
  addRoute(app, '/api/v2/method/:method', 'permission', 'method', {
    GET: byPath,
    POST: byPath,
    PUT: byPath,
    DELETE: byPath,
  });

  addRoute(app, '/api/v2/doctype/:doctype/meta', 'permission', 'read', {
    async GET(request, reply) {
      const meta = await describeDoctype(readContext(site, request.user), doctypeOf(request));
      return sendJson(reply, JSON.stringify({ data: meta }));
    },
  });

  const search = async (request: FastifyRequest, reply: FastifyReply) => {
    const args = { ...queryOf(request), doctype: doctypeOf(request) };
    const call = { name: 'frappe.desk.search.search_link', args, envelope: 'data' } as const;
    return sendAnswer(reply, await callMethod(site, methods, call, request, reply));
  };
  addRoute(app, '/api/v2/doctype/:doctype/search', 'permission', 'method', { GET: search });

  addRoute(app, '/api/v2/doctype/:doctype/count', 'permission', 'list', {
    async GET(request, reply) {
      nameIgnored(request, reply, COUNTED);
      const ctx = readContext(site, request.user);
      const count = await countDocuments(ctx, doctypeOf(request), queryOf(request));
      return sendJson(reply, `{"data":${count}}`);
    },
  });
}

const COUNTED: ReadonlySet<string> = new Set(['filters', 'or_filters', 'parent', 'parent_doctype']);

function doctypeOf(request: FastifyRequest): string {
  return (request.params as { doctype: string }).doctype;
}
