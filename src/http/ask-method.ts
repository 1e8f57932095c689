import type { FastifyRequest } from 'fastify';
import { requireMethodInScope } from '../access/key-scope.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { type Operation, onlyReads, requireCaller } from '../operation/operation.ts';
import { presentResult } from '../operation/present-result.ts';
import { JsonList } from '../operation/result.ts';
import type { Asked } from './call.ts';
import { type HttpCall, verbOf } from './http-call.ts';
import { keepsSecrets, showsSecrets } from './keeps-secrets.ts';
import { Answer, ListAnswer } from './once.ts';
import { type Envelope, messageBody, noticesIn } from './reply.ts';
import { methodNotAllowed } from './wire/verbs.ts';

/** Every operation of a site that clients call by name: built-in ones, and those of apps. */
export type MethodTable = ReadonlyMap<string, Operation<HttpCall>>;

/** A call of a method by name, and the envelope of its answer. */
export interface MethodCall {
  readonly name: string;
  readonly args: Fields;
  readonly envelope: Envelope;
  /** A digest of a body that was streamed. */
  readonly content?: string;
}

/**
 * The operation and arguments of a method call. @throws ServiceError DoesNotExistError,
 * MethodNotAllowedError, PermissionError
 */
export function askMethod(
  methods: MethodTable,
  { name, args, envelope, content }: MethodCall,
  call: HttpCall,
): Asked {
  const { site, request, reply, verb, more, notices } = call;
  const method = requireOperation(methods, name, request);
  reply.confidential = method.confidential || keepsSecrets(site, args['doctype'] ?? args['dt']);
  const reads = onlyReads(method, verb);
  return {
    transaction: reads ? 'read' : method.transaction,
    isNoted: true,
    async authorise() {
      requireMethodInScope(request.user, name, reads);
      await request.admit(reads ? 'list' : 'write');
    },
    run: (ctx) => {
      // A transaction may run again.
      notices.length = 0;
      return method.run(ctx, args, call);
    },
    present: (result) => {
      if (result instanceof JsonList) return new ListAnswer(`{"${envelope}":`, result.text, '}');
      reply.confidential ||= showsSecrets(site, result) || showsSecrets(site, more['docs']);
      const beside = { ...more, ...noticesIn(envelope, notices) };
      return new Answer(messageBody(presentResult(site, result), beside, envelope));
    },
    ...(content !== undefined && { once: { content } }),
  };
}

/**
 * The operation of that name, when the caller may call it by the request's verb. Also called before the body
 * is read.
 * @throws ServiceError DoesNotExistError, MethodNotAllowedError, PermissionError
 */
export function requireOperation(
  operations: MethodTable,
  name: string,
  request: FastifyRequest,
): Operation<HttpCall> {
  const operation = operations.get(name);
  if (!operation) throw new ServiceError('DoesNotExistError', `Method ${name} not found`);
  const verb = verbOf(request);
  if (!operation.http.includes(verb)) {
    throw methodNotAllowed(verb, [...operation.http, 'OPTIONS'].join(', '));
  }
  requireCaller(request.user, operation);
  return operation;
}
