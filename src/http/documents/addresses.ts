import type { FastifyRequest } from 'fastify';
import {
  bulkDelete,
  bulkUpdate,
  copy,
  count,
  create,
  type DocumentOperation,
  list,
  meta,
  read,
  remove,
  runMethod,
  update,
} from '../../operation/documents.ts';
import { onlyReads } from '../../operation/operation.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf, readArguments, readFields } from '../arguments.ts';
import type { Asked } from '../call.ts';
import type { HttpCall } from '../http-call.ts';
import type { Answer, ListAnswer } from '../once.ts';
import { nameIgnored } from '../reply.ts';
import { expectedBy, named, withDataField } from './document-parameters.ts';
import {
  dataAnswer,
  deletedAnswer,
  documentAnswer,
  listAnswer,
  readAnswer,
  resultAnswer,
} from './document-reply.ts';
import type { Part, Target, Version } from './document-target.ts';
import { asksForPage, COUNT_PARAMETERS, PAGE_PARAMETERS, pageParameters } from './list-parameters.ts';

/** A verb of the addresses of documents; HEAD follows GET. */
export type RestVerb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP address of an operation on documents. */
export interface Address {
  readonly version: Version;
  readonly verbs: readonly RestVerb[];
  /** The part that the path names; `document-target.ts` has the paths. */
  readonly part: Part;
  readonly operation: Pick<DocumentOperation, 'name' | 'summary' | 'effect'>;
  ask(target: Target, request: FastifyRequest, call: HttpCall): Asked;
}

/** An operation on documents, and all of its addresses. */
export interface AddressRow {
  readonly operation: Pick<DocumentOperation, 'name' | 'summary' | 'effect'>;
  readonly v1: readonly Address[];
  readonly v2: readonly Address[];
  /** Methods with the same effect and arguments of their own. */
  readonly rpc: readonly string[];
}

/** How an address parses requests and presents results. */
interface Column<A, R> {
  readonly on: Part;
  readonly verbs: readonly RestVerb[];
  /**
   * Query parameters that have an effect; `X-Ignored-Parameters` names all others. Absent: the header is not
   * sent.
   */
  readonly parameters?: ReadonlySet<string>;
  parse(target: Target, request: FastifyRequest, site: OpenSite): A;
  present(result: R, site: OpenSite, request: FastifyRequest): Answer | ListAnswer;
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

/** Operations on documents by address: REST of both versions, and the equivalent methods. */
export const DOCUMENT_ADDRESSES: readonly AddressRow[] = [
  row(list, {
    v1: {
      on: 'collection',
      verbs: ['GET'],
      parameters: PAGE_PARAMETERS,
      parse: ({ doctypeName }, request) => {
        const parameters = queryOf(request);
        return { doctypeName, parameters, isPage: asksForPage(parameters) };
      },
      present: (listed, _site, request) => listAnswer(listed, queryOf(request)),
    },
    v2: {
      on: 'collection',
      verbs: ['GET'],
      parameters: PAGE_PARAMETERS,
      parse: ({ doctypeName }, request) => ({
        doctypeName,
        parameters: pageParameters(queryOf(request)),
        isPage: true,
      }),
      present: (listed, _site, request) => listAnswer(listed, queryOf(request)),
    },
    rpc: ['frappe.client.get_list'],
  }),

  row(create, {
    v1: {
      on: 'collection',
      verbs: ['POST'],
      parameters: NO_PARAMETERS,
      parse: ({ doctypeName }, request, site) => ({
        doctypeName,
        fields: readFields(request, withDataField(site, doctypeName)),
      }),
      present: (made, site) => documentAnswer(site, made),
    },
    v2: {
      on: 'collection',
      verbs: ['POST'],
      parse: ({ doctypeName }, request, site) => ({
        doctypeName,
        fields: named(readFields(request, withDataField(site, doctypeName))),
      }),
      present: (made, site) => documentAnswer(site, made),
    },
    rpc: ['frappe.client.insert', 'frappe.client.insert_many', 'frappe.client.save'],
  }),

  row(read, {
    v1: {
      on: 'document',
      verbs: ['GET'],
      parameters: NO_PARAMETERS,
      parse: ({ doctypeName, name }) => ({ doctypeName, name, include: '' }),
      present: readAnswer,
    },
    v2: {
      on: 'document',
      verbs: ['GET'],
      parameters: new Set(['include']),
      parse: ({ doctypeName, name }, request) => ({
        doctypeName,
        name,
        include: queryOf(request)['include'] ?? '',
      }),
      present: readAnswer,
    },
    rpc: ['frappe.client.get', 'frappe.desk.form.load.getdoc'],
  }),

  row(update, {
    v1: { ...updateColumn(['PUT']), parameters: NO_PARAMETERS },
    v2: updateColumn(['PUT', 'PATCH']),
    rpc: ['frappe.client.set_value', 'frappe.client.save'],
  }),

  row(remove, {
    v1: {
      on: 'document',
      verbs: ['DELETE'],
      parameters: NO_PARAMETERS,
      parse: ({ doctypeName, name }, request) => ({ doctypeName, name, expected: expectedBy(request) }),
      present: () => deletedAnswer('v1'),
    },
    v2: {
      on: 'document',
      verbs: ['DELETE'],
      parse: ({ doctypeName, name }, request) => ({ doctypeName, name, expected: expectedBy(request) }),
      present: () => deletedAnswer('v2'),
    },
    rpc: ['frappe.client.delete'],
  }),

  row(runMethod, {
    v1: methodColumn((request) => {
      const { run_method: _method, ...args } = readArguments(request);
      return args;
    }),
    v2: methodColumn(readArguments),
    rpc: ['run_doc_method', 'frappe.handler.run_doc_method'],
  }),

  row(copy, {
    v2: {
      on: 'copy',
      verbs: ['GET'],
      parse: ({ doctypeName, name }) => ({ doctypeName, name }),
      present: dataAnswer,
    },
  }),

  row(bulkUpdate, {
    v2: {
      on: 'bulk_update',
      verbs: ['POST'],
      parse: ({ doctypeName }, request) => ({ doctypeName, given: readArguments(request) }),
      present: dataAnswer,
    },
    rpc: ['bulk_update', 'frappe.client.bulk_update'],
  }),

  row(bulkDelete, {
    v2: {
      on: 'bulk_delete',
      verbs: ['POST'],
      parse: ({ doctypeName }, request) => ({ doctypeName, given: readArguments(request) }),
      present: dataAnswer,
    },
    rpc: ['bulk_delete'],
  }),

  row(count, {
    v2: {
      on: 'count',
      verbs: ['GET'],
      parameters: COUNT_PARAMETERS,
      parse: ({ doctypeName }, request) => ({ doctypeName, parameters: queryOf(request) }),
      present: dataAnswer,
    },
    rpc: ['frappe.client.get_count'],
  }),

  row(meta, {
    v2: {
      on: 'meta',
      verbs: ['GET'],
      parse: ({ doctypeName }) => ({ doctypeName }),
      present: dataAnswer,
    },
    rpc: ['frappe.desk.form.load.getdoctype'],
  }),
];

/** The address of a part for a verb; undefined where the part does not offer the verb. */
export function findAddress(version: Version, part: Part, verb: RestVerb): Address | undefined {
  return BY_PLACE.get(`${version} ${part} ${verb}`);
}

/** Verbs that a part offers, in the order of the table. */
export function verbsOn(version: Version, part: Part): readonly RestVerb[] {
  return ALL.filter((one) => one.version === version && one.part === part).flatMap(({ verbs }) => verbs);
}

const ALL = DOCUMENT_ADDRESSES.flatMap(({ v1, v2 }) => [...v1, ...v2]);
const BY_PLACE = new Map(
  ALL.flatMap((one) => one.verbs.map((verb) => [`${one.version} ${one.part} ${verb}`, one] as const)),
);

function row<A, R>(
  operation: DocumentOperation<A, R>,
  columns: { v1?: Column<A, R>; v2?: Column<A, R>; rpc?: readonly string[] },
): AddressRow {
  const { v1, v2, rpc = [] } = columns;
  const at = (version: Version, column: Column<A, R> | undefined) =>
    column ? [address(version, operation, column)] : [];
  return { operation, v1: at('v1', v1), v2: at('v2', v2), rpc };
}

function address<A, R>(
  version: Version,
  operation: DocumentOperation<A, R>,
  { on, verbs, parameters, parse, present }: Column<A, R>,
): Address {
  const isNoted = operation.isNoted ?? false;
  const transaction = (verb: string) => (onlyReads(operation, verb) ? 'read' : operation.transaction);
  return {
    version,
    verbs,
    part: on,
    operation,
    ask(target, request, call) {
      const { site, reply } = call;
      if (parameters) nameIgnored(request, reply, parameters);
      const args = parse(target, request, site);
      const asked: Asked<R> = {
        transaction: transaction(call.verb),
        isNoted,
        run: (ctx) => operation.run(ctx, args, call),
        present: (result) => present(result, site, request),
      };
      // The row presents the result of the operation that it runs, so the types agree.
      return asked as Asked;
    },
  };
}

function updateColumn(verbs: readonly RestVerb[]): ColumnOf<typeof update> {
  return {
    on: 'document',
    verbs,
    parse: ({ doctypeName, name }, request, site) => ({
      doctypeName,
      name,
      fields: readFields(request, withDataField(site, doctypeName)),
      expected: expectedBy(request),
    }),
    present: (changed, site) => documentAnswer(site, changed),
  };
}

type ColumnOf<O> = O extends DocumentOperation<infer A, infer R> ? Column<A, R> : never;

function methodColumn(
  argumentsIn: (request: FastifyRequest) => ReturnType<typeof readArguments>,
): ColumnOf<typeof runMethod> {
  return {
    on: 'method',
    verbs: ['GET', 'POST'],
    parse: ({ doctypeName, name, method }, request) => ({
      doctypeName,
      name,
      method,
      verb: request.method === 'POST' ? 'POST' : 'GET',
      args: argumentsIn(request),
    }),
    present: resultAnswer,
  };
}
