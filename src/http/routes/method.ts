import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import type { Method, MethodVerb } from '../../document/method.ts';
import { unitOfWork } from '../../document/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { type Arguments, queryOf, readArguments } from '../arguments.ts';
import { notSignedIn } from '../identify.ts';
import type { BuiltIn } from '../methods/built-in.ts';
import { BUILT_INS } from '../methods/methods.ts';
import { presentResult } from '../present-result.ts';
import { messageBody, sendJson } from '../reply.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';

/**
 * `/api/method/<name>`, of which only the part before the first slash counts, and the root door of older clients,
 * `/?cmd=<name>`.
 */
export function registerMethodRoutes(app: FastifyInstance, site: OpenSite): void {
  const methods = methodTable(site);
  const byPath = (request: FastifyRequest, reply: FastifyReply) => {
    const { method } = request.params as { method: string };
    return callMethod(site, methods, method, readArguments(request), request, reply);
  };
  const everyVerb = { GET: byPath, POST: byPath, PUT: byPath, DELETE: byPath };
  // Methods decide for themselves whether a Guest may call them.
  addRoute(app, '/api/method/:method', 'permission', everyVerb);
  addRoute(app, '/api/method/:method/*', 'permission', everyVerb);

  const byCommand = (request: FastifyRequest, reply: FastifyReply) => {
    const args = readArguments(request);
    const command = args.cmd ?? queryOf(request).cmd;
    if (typeof command === 'string' && command !== '') {
      return callMethod(site, methods, command, args, request, reply);
    }
    if (request.method === 'POST') throw new ServiceError('BadRequestError', 'Parameter cmd is missing');
    return sendJson(reply, '{"name":"chancery","api":"/api"}');
  };
  addRoute(app, '/', 'permission', { GET: byCommand, POST: byCommand });
}

function methodTable(site: OpenSite): ReadonlyMap<string, BuiltIn> {
  const table = new Map(Object.entries(BUILT_INS));
  for (const [name, method] of site.methods) {
    if (table.has(name)) throw new Error(`method ${name} is built in; an app cannot define it`);
    table.set(name, fromApp(method));
  }
  return table;
}

function fromApp(method: Method): BuiltIn {
  const onlyReads = method.http.every((verb) => verb === 'GET');
  return {
    http: method.http,
    allowGuest: method.allowGuest,
    context: onlyReads ? 'read' : 'unit',
    run: (ctx, args) => method.run(ctx, args),
  };
}

async function callMethod(
  site: OpenSite,
  methods: ReadonlyMap<string, BuiltIn>,
  name: string,
  args: Arguments,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const method = methods.get(name);
  if (!method) throw new ServiceError('DoesNotExistError', `Method ${name} not found`);
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  if (!method.http.includes(verb as MethodVerb)) {
    throw methodNotAllowed(verb, [...method.http, 'OPTIONS'].join(', '));
  }
  const { user } = request;
  if (user.isGuest && !method.allowGuest) throw notSignedIn();
  const more: Record<string, unknown> = {};
  const call = { site, request, reply, more };
  // A GET has no effects, whatever the method: in a read context a write is refused.
  const result =
    method.context === 'read' || verb === 'GET'
      ? await method.run(readContext(site, user), args, call)
      : await unitOfWork(site, user, (ctx) => method.run(ctx, args, call));
  return sendJson(reply, messageBody(presentResult(site, result), more));
}
