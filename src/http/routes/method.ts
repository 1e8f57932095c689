import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireMethodInScope } from '../../access/key-scope.ts';
import { type Context, readContext } from '../../document/context.ts';
import type { Method, MethodVerb } from '../../document/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { type Arguments, queryOf, readArguments } from '../arguments.ts';
import { notSignedIn } from '../identify.ts';
import type { BuiltIn } from '../methods/built-in.ts';
import { BUILT_INS } from '../methods/methods.ts';
import { Answer, doOnce, ListAnswer, sendAnswer } from '../once.ts';
import { originOf } from '../origin.ts';
import { presentResult } from '../present-result.ts';
import { type Envelope, JsonList, messageBody, sendJson } from '../reply.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';
import { opensPage, redirect } from './admin.ts';
import { downloadFile } from './file.ts';

/**
 * `/api/method/<name>`, of which only the part before the first slash counts, and the root door of older clients,
 * `/?cmd=<name>`.
 */
export function registerMethodRoutes(app: FastifyInstance, site: OpenSite, methods: MethodTable): void {
  const byPath = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method: name } = request.params as { method: string };
    const call = { name, args: readArguments(request), envelope: 'message' } as const;
    return sendAnswer(reply, await callMethod(site, methods, call, request, reply));
  };
  const everyVerb = { GET: byPath, POST: byPath, PUT: byPath, DELETE: byPath };
  // Methods decide for themselves whether a Guest may call them.
  addRoute(app, '/api/method/:method', 'permission', 'method', everyVerb);
  addRoute(app, '/api/method/:method/*', 'permission', 'method', everyVerb);

  const byCommand = async (request: FastifyRequest, reply: FastifyReply) => {
    const args = readArguments(request);
    const command = args.cmd ?? queryOf(request).cmd;
    if (command === 'download_file') {
      if (request.method === 'POST') throw methodNotAllowed('POST', 'GET, HEAD, OPTIONS');
      requireMethodInScope(request.user, command, true);
      await request.admit('read');
      return downloadFile(site, String(args.file_url ?? ''), request, reply);
    }
    if (typeof command === 'string' && command !== '') {
      const { cmd: _cmd, ...rest } = args;
      const call = { name: command, args: rest, envelope: 'message' } as const;
      return sendAnswer(reply, await callMethod(site, methods, call, request, reply));
    }
    if (request.method === 'POST') throw new ServiceError('BadRequestError', 'Parameter cmd is missing');
    if (site.config.adminUi && opensPage(request)) return redirect(reply, '/app');
    return sendJson(reply, '{"name":"chancery","api":"/api"}');
  };
  addRoute(app, '/', 'permission', 'method', { GET: byCommand, POST: byCommand });
}

/** Every method of a site by its name: built in, and of its apps. */
export type MethodTable = ReadonlyMap<string, BuiltIn>;

/** Collects them once, at the start. */
export function methodTable(site: OpenSite): MethodTable {
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
    ...(onlyReads && { reads: true }),
    run: (ctx, args) => method.run(ctx, args),
    declared: method,
  };
}

/** A call of a method by its name, and the form of its answer. */
export interface MethodCall {
  readonly name: string;
  readonly args: Arguments;
  readonly envelope: Envelope;
  /** A digest of a body that was streamed. */
  readonly content?: string;
}

/** Runs a method for a request, in one unit of work unless it only reads. The caller sends the answer. */
export async function callMethod(
  site: OpenSite,
  methods: MethodTable,
  { name, args, envelope, content }: MethodCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer | ListAnswer> {
  const method = methods.get(name);
  if (!method) throw new ServiceError('DoesNotExistError', `Method ${name} not found`);
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  if (!method.http.includes(verb as MethodVerb)) {
    throw methodNotAllowed(verb, [...method.http, 'OPTIONS'].join(', '));
  }
  const { user } = request;
  if (user.isGuest && !method.allowGuest) throw notSignedIn();
  // By GET a unit of work becomes a context for reading; one that reads anyway may do more by itself.
  const reads = method.reads ?? (method.context === 'unit' && verb === 'GET');
  requireMethodInScope(user, name, reads);
  await request.admit(reads ? 'list' : 'write');
  const run = async (ctx: Context) => {
    const more: Record<string, unknown> = {};
    return { result: await method.run(ctx, args, { site, request, reply, more }), more };
  };
  const present = ({ result, more }: Awaited<ReturnType<typeof run>>) =>
    new Answer(messageBody(presentResult(site, result), more, envelope));
  // A GET has no effects, whatever the method: in a read context a write is refused.
  if (method.context === 'read' || verb === 'GET') {
    const done = await run(readContext(site, user, originOf(request)));
    return done.result instanceof JsonList ? new ListAnswer(envelope, done.result.text) : present(done);
  }
  return doOnce(site, request, reply, run, present, content === undefined ? {} : { content });
}
