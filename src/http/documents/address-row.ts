import type { FastifyRequest } from 'fastify';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import type { DocumentOperation } from '../../operation/documents.ts';
import { onlyReads } from '../../operation/operation.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Verb } from '../address/address.ts';
import type { ResourceVerb } from '../address/scope.ts';
import type { Asked } from '../call.ts';
import type { HttpCall } from '../http-call.ts';
import { keepsSecrets } from '../keeps-secrets.ts';
import type { Answer, ListAnswer } from '../once.ts';
import { nameIgnored } from '../reply.ts';
import type { ParsedAddress, Part, Version } from './document-routes.ts';

/** A verb of the addresses of documents; HEAD follows GET. */
export type RestVerb = Exclude<Verb, 'HEAD'>;

/** The OpenAPI details of each version. */
interface Details {
  /** One path per doctype; `type` is its type name. */
  readonly v1: {
    /** Shown to users with this right on the doctype. */
    readonly right: ResourceVerb;
    readonly id?: (type: string) => string;
    readonly parameters: readonly JsonSchema[];
    readonly body?: (type: string) => JsonSchema;
    readonly replies: (type: string) => Readonly<Record<string, JsonSchema>>;
  };
  /** One path for all doctypes. */
  readonly v2: {
    /** Default: the name of the operation and `V2`. */
    readonly id?: string;
    readonly query?: readonly string[];
    readonly body?: JsonSchema;
    readonly reply: readonly [description: string, data: JsonSchema, status?: string];
  };
}

type AnyOperation = Pick<
  DocumentOperation,
  'name' | 'summary' | 'effect' | 'transaction' | 'events' | 'writes'
>;

/** One HTTP address of an operation on documents. */
export interface DocumentAddress<V extends Version = Version> {
  readonly version: V;
  readonly verbs: readonly RestVerb[];
  /** The part that the path names; `document-routes.ts` has the paths. */
  readonly part: Part;
  readonly operation: AnyOperation;
  readonly openapi: Details[V];
  ask(parsed: ParsedAddress, request: FastifyRequest, call: HttpCall): Asked;
}

/** An operation on documents, and all of its addresses. */
export interface AddressRow {
  readonly operation: AnyOperation;
  readonly v1: readonly DocumentAddress<'v1'>[];
  readonly v2: readonly DocumentAddress<'v2'>[];
  /** Methods with the same effect and arguments of their own. */
  readonly rpc: readonly string[];
}

/** How an address parses requests and presents results. */
interface Handling<A, R> {
  readonly on: Part;
  readonly verbs: readonly RestVerb[];
  parse(parsed: ParsedAddress, request: FastifyRequest, site: OpenSite): A;
  present(result: R, site: OpenSite, request: FastifyRequest): Answer | ListAnswer;
}

interface Column<V extends Version, A, R> extends Handling<A, R> {
  /**
   * Parameters that have an effect; `X-Ignored-Parameters` names all others. Absent: the header is not
   * sent.
   */
  readonly parameters?: ReadonlySet<string>;
  readonly openapi: Details[V];
}

/** What the columns of an operation have in common. */
export type HandlingOf<O> = O extends DocumentOperation<infer A, infer R> ? Handling<A, R> : never;

/** A row of the table. */
export function row<A, R>(
  operation: DocumentOperation<A, R>,
  columns: { v1?: Column<'v1', A, R>; v2?: Column<'v2', A, R>; rpc?: readonly string[] },
): AddressRow {
  const { v1, v2, rpc = [] } = columns;
  return {
    operation,
    v1: v1 ? [address('v1', operation, v1)] : [],
    v2: v2 ? [address('v2', operation, v2)] : [],
    rpc,
  };
}

function address<V extends Version, A, R>(
  version: V,
  operation: DocumentOperation<A, R>,
  { on, verbs, parameters, parse, present, openapi }: Column<V, A, R>,
): DocumentAddress<V> {
  return {
    version,
    verbs,
    part: on,
    operation,
    openapi,
    ask(parsed, request, call) {
      const { site, reply } = call;
      if (parameters) nameIgnored(request, reply, parameters);
      reply.confidential = keepsSecrets(site, parsed.doctypeName);
      const args = parse(parsed, request, site);
      const asked: Asked<R> = {
        transaction: onlyReads(operation, call.verb) ? 'read' : operation.transaction,
        isNoted: operation.isNoted ?? false,
        run: (ctx) => operation.run(ctx, args, call),
        present: (result) => present(result, site, request),
      };
      // The row presents the result of the operation that it runs, so the types agree.
      return asked as Asked;
    },
  };
}
