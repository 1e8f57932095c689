import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { requireMethodInScope } from '../../access/key-scope.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { onlyReads } from '../../operation/operation.ts';
import { searchLink } from '../../operation/search.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { redirect } from '../admin/routes.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { askMethod, type MethodTable, requireOperation } from '../ask-method.ts';
import { answer, answering } from '../call.ts';
import { downloadFile } from '../files/download-routes.ts';
import { httpCall, verbOf } from '../http-call.ts';
import { sendAnswer } from '../once.ts';
import { opensPage } from '../pages/opens-page.ts';
import { sendJson } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { methodNotAllowed } from '../wire/verbs.ts';
import { COMMAND, METHOD, METHOD_AND_MORE, METHOD_V2, SEARCH_V2 } from './addresses.ts';

/**
 * `/api/method/<name>`, where only the part before the first slash counts, `/api/v2/method/<name>`, the
 * search of the second version, and `/?cmd=<name>`, the address of older clients.
 */
export function registerMethodRoutes(app: FastifyInstance, site: OpenSite, methods: MethodTable): void {
  for (const address of [METHOD, METHOD_AND_MORE, METHOD_V2]) {
    const envelope = address.version === 'v2' ? 'data' : 'message';
    const byPath = answering(site, (request, call) => {
      const { method: name } = request.params as { method: string };
      return askMethod(methods, { name, args: parseRequestArguments(request), envelope }, call);
    });
    // Before the body is read.
    const onRequest: onRequestHookHandler = (request, _reply, done) => {
      requireOperation(methods, (request.params as { method: string }).method, request);
      done();
    };
    const isAnsweredByReaders = (request: FastifyRequest) => {
      const method = methods.get((request.params as { method: string }).method);
      return method !== undefined && onlyReads(method, verbOf(request));
    };
    addRoute(app, address, byPath, { onRequest, isAnsweredByReaders });
  }

  const search = answering(site, (request, call) => {
    const { doctype } = request.params as { doctype: string };
    const args = { ...parseRequestArguments(request), doctype };
    return askMethod(methods, { name: searchLink.name, args, envelope: 'data' }, call);
  });
  addRoute(app, SEARCH_V2, search, { isAnsweredByReaders: () => true });

  const byCommand = async (request: FastifyRequest, reply: FastifyReply) => {
    const { cmd, ...args } = parseRequestArguments(request);
    const command = cmd ?? queryOf(request)['cmd'];
    if (command === 'download_file') {
      if (request.method === 'POST') throw methodNotAllowed('POST', 'GET, HEAD, OPTIONS');
      requireMethodInScope(request.user, command, true);
      await request.admit('read');
      return downloadFile(site, String(args['file_url'] ?? ''), request, reply);
    }
    if (typeof command === 'string' && command !== '') {
      const call = httpCall(site, request, reply);
      const asked = askMethod(methods, { name: command, args, envelope: 'message' }, call);
      return sendAnswer(reply, await answer(call, asked));
    }
    if (request.method === 'POST') throw new ServiceError('BadRequestError', 'Parameter cmd is missing');
    if (site.config.adminUi && opensPage(request)) return redirect(reply, '/app');
    return sendJson(reply, '{"name":"chancery","api":"/api"}');
  };
  addRoute(app, COMMAND, byCommand);
}
