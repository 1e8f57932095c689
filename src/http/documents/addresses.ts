import type { FastifyRequest } from 'fastify';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import type { Fields } from '../../kernel/value.ts';
import {
  bulkDelete,
  bulkUpdate,
  copy,
  count,
  create,
  list,
  meta,
  read,
  remove,
  runMethod,
  update,
} from '../../operation/documents.ts';
import { object } from '../../operation/result.ts';
import { schemaName } from '../address/doctype-schemas.ts';
import { LIST_PARAMETER_REFS } from '../address/list-parameters.ts';
import {
  CHANCERY_IMPORT,
  errors,
  header,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  POSITION,
  queryParameter,
  ref,
} from '../address/operation.ts';
import { parseRequestArguments, parseRequestFields } from '../arguments.ts';
import { type AddressRow, type DocumentAddress, type HandlingOf, type RestVerb, row } from './address-row.ts';
import { expectedBy, named, withDataField } from './document-parameters.ts';
import {
  dataAnswer,
  deletedAnswer,
  documentAnswer,
  listAnswer,
  readAnswer,
  resultAnswer,
} from './document-reply.ts';
import type { Part, Version } from './document-routes.ts';
import { asksForPage, COUNT_PARAMETERS, PAGE_PARAMETERS, pageParameters } from './list-parameters.ts';

const NO_PARAMETERS: ReadonlySet<string> = new Set();
const OBJECT: JsonSchema = { type: 'object' };
const PLACED = ['X-Chancery-Position'];
const IF_NONE_MATCH = header('If-None-Match', 'An ETag; the reply is 304 if the document still has it.');
const IF_MATCH = header('If-Match', 'An ETag; the request fails with 412 if the document has another one.');

/** Operations on documents by address: REST of both versions, and the equivalent methods. */
export const DOCUMENT_ADDRESSES: readonly AddressRow[] = [
  row(list, {
    v1: {
      on: 'collection',
      verbs: ['GET'],
      parameters: PAGE_PARAMETERS,
      parse: ({ doctypeName }, request) => {
        const parameters = parseRequestArguments(request);
        return { doctypeName, parameters, isPage: asksForPage(parameters) };
      },
      present: (listed, _site, request) => listAnswer(listed, parseRequestArguments(request)),
      openapi: {
        right: 'list',
        parameters: [...LIST_PARAMETER_REFS, POSITION],
        replies: (type) => ({
          '200': jsonReply(
            'Rows with the requested fields',
            object({ data: { type: 'array', items: ref('schemas', schemaName.fields(type)) } }),
            ['X-Ignored-Parameters'],
          ),
          ...errors(401, 403, 417),
        }),
      },
    },
    v2: {
      on: 'collection',
      verbs: ['GET'],
      parameters: PAGE_PARAMETERS,
      parse: ({ doctypeName }, request) => ({
        doctypeName,
        parameters: pageParameters(parseRequestArguments(request)),
        isPage: true,
      }),
      present: (listed, _site, request) => listAnswer(listed, parseRequestArguments(request)),
      openapi: {
        id: 'listPageV2',
        query: ['fields', 'filters', 'or_filters', 'order_by', 'start', 'limit'],
        reply: ['Rows, and whether there are more', { type: 'array' }],
      },
    },
    rpc: ['frappe.client.get_list'],
  }),

  row(create, {
    v1: {
      ...creating((fields) => fields),
      parameters: NO_PARAMETERS,
      openapi: {
        right: 'create',
        parameters: [IDEMPOTENCY_KEY, CHANCERY_IMPORT],
        body: (type) => jsonBody(ref('schemas', schemaName.create(type))),
        replies: (type) => ({ '200': documentReply(type, PLACED), ...errors(401, 403, 409, 417) }),
      },
    },
    v2: { ...creating(named), openapi: { body: jsonBody(OBJECT), reply: ['The document', OBJECT] } },
    rpc: ['frappe.client.insert', 'frappe.client.insert_many', 'frappe.client.save'],
  }),

  row(read, {
    v1: {
      on: 'document',
      verbs: ['GET'],
      parameters: NO_PARAMETERS,
      parse: ({ doctypeName, name }) => ({ doctypeName, name, include: '' }),
      present: readAnswer,
      openapi: {
        right: 'read',
        parameters: [IF_NONE_MATCH, POSITION],
        replies: (type) => ({
          '200': documentReply(type, ['ETag']),
          '304': ref('responses', 'NotModified'),
          ...errors(401, 403, 404),
        }),
      },
    },
    v2: {
      on: 'document',
      verbs: ['GET'],
      parameters: new Set(['include']),
      parse: ({ doctypeName, name }, request) => ({
        doctypeName,
        name,
        include: String(parseRequestArguments(request)['include'] ?? ''),
      }),
      present: readAnswer,
      openapi: { query: ['include'], reply: ['The document, and the parts named in `include`', OBJECT] },
    },
    rpc: ['frappe.client.get', 'frappe.desk.form.load.getdoc'],
  }),

  row(update, {
    v1: {
      ...updating(['PUT']),
      parameters: NO_PARAMETERS,
      openapi: {
        right: 'update',
        parameters: [IF_MATCH, CHANCERY_IMPORT],
        body: (type) => jsonBody(ref('schemas', schemaName.update(type))),
        replies: (type) => ({ '200': documentReply(type, PLACED), ...errors(401, 403, 404, 412, 417) }),
      },
    },
    v2: {
      ...updating(['PUT', 'PATCH']),
      openapi: { body: jsonBody(OBJECT), reply: ['The document', OBJECT] },
    },
    rpc: ['frappe.client.set_value', 'frappe.client.save'],
  }),

  row(remove, {
    v1: {
      ...deleting('v1'),
      parameters: NO_PARAMETERS,
      openapi: {
        right: 'delete',
        parameters: [IF_MATCH],
        replies: () => ({
          '202': jsonReply('Deleted', object({ message: { const: 'ok' }, data: { const: 'ok' } }), PLACED),
          ...errors(401, 403, 404, 412, 417),
        }),
      },
    },
    v2: { ...deleting('v2'), openapi: { reply: ['Deleted', { const: 'ok' }, '202'] } },
    rpc: ['frappe.client.delete'],
  }),

  row(runMethod, {
    v1: {
      ...calling('v1', (request) => {
        const { run_method: _method, ...args } = parseRequestArguments(request);
        return args;
      }),
      // For POST; GET shares the path and verb of a read.
      openapi: {
        right: 'update',
        id: (type) => `run${type}Method`,
        parameters: [{ ...queryParameter('run_method'), required: true }, IDEMPOTENCY_KEY],
        body: () => jsonBody({ ...OBJECT, description: 'Its arguments.' }, false),
        replies: () => ({
          '200': jsonReply('The result of the method', { ...OBJECT, properties: { data: {} } }),
          ...errors(401, 403, 404, 405, 417),
        }),
      },
    },
    v2: {
      ...calling('v2', parseRequestArguments),
      openapi: {
        id: 'runDocumentMethodV2',
        body: jsonBody(OBJECT, false),
        reply: ['The result of the method', {}],
      },
    },
    rpc: ['run_doc_method', 'frappe.handler.run_doc_method'],
  }),

  row(copy, {
    v2: {
      on: 'copy',
      verbs: ['GET'],
      parse: ({ doctypeName, name }) => ({ doctypeName, name }),
      present: dataAnswer,
      openapi: { reply: ['The values of a new document', OBJECT] },
    },
  }),

  row(bulkUpdate, {
    v2: bulk('bulk_update', 'docs', OBJECT),
    rpc: ['bulk_update', 'frappe.client.bulk_update'],
  }),

  row(bulkDelete, {
    v2: bulk('bulk_delete', 'names', { type: 'string' }),
    rpc: ['bulk_delete'],
  }),

  row(count, {
    v2: {
      on: 'count',
      verbs: ['GET'],
      parameters: COUNT_PARAMETERS,
      parse: ({ doctypeName }, request) => ({
        doctypeName,
        parameters: parseRequestArguments(request),
      }),
      present: dataAnswer,
      openapi: {
        query: ['filters', 'or_filters'],
        reply: ['The number of documents that the caller may list', { type: 'integer' }],
      },
    },
    rpc: ['frappe.client.get_count'],
  }),

  row(meta, {
    v2: {
      on: 'meta',
      verbs: ['GET'],
      parse: ({ doctypeName }) => ({ doctypeName }),
      present: dataAnswer,
      openapi: { reply: ['The DocType document, with its customizations', OBJECT] },
    },
    rpc: ['frappe.desk.form.load.getdoctype'],
  }),
];

/** The address of a part for a verb; undefined where the part does not offer the verb. */
export function findAddress(version: Version, part: Part, verb: RestVerb): DocumentAddress | undefined {
  return BY_PART[version].get(part)?.get(verb);
}

/** Verbs that a part offers, in the order of the table. */
export function verbsOn(version: Version, part: Part): readonly RestVerb[] {
  return ALL.filter((one) => one.version === version && one.part === part).flatMap(({ verbs }) => verbs);
}

const ALL: readonly DocumentAddress[] = DOCUMENT_ADDRESSES.flatMap(({ v1, v2 }) => [...v1, ...v2]);
const BY_PART = { v1: byPart('v1'), v2: byPart('v2') };

function byPart(version: Version): Map<Part, Map<RestVerb, DocumentAddress>> {
  const parts = new Map<Part, Map<RestVerb, DocumentAddress>>();
  for (const one of ALL.filter((address) => address.version === version)) {
    const verbs = parts.get(one.part) ?? new Map<RestVerb, DocumentAddress>();
    for (const verb of one.verbs) verbs.set(verb, one);
    parts.set(one.part, verbs);
  }
  return parts;
}

function creating(rename: (fields: Fields) => Fields): HandlingOf<typeof create> {
  return {
    on: 'collection',
    verbs: ['POST'],
    parse: ({ doctypeName }, request, site) => ({
      doctypeName,
      fields: rename(parseRequestFields(request, withDataField(site, doctypeName))),
    }),
    present: (made, site) => documentAnswer(site, made),
  };
}

function updating(verbs: readonly RestVerb[]): HandlingOf<typeof update> {
  return {
    on: 'document',
    verbs,
    parse: ({ doctypeName, name }, request, site) => ({
      doctypeName,
      name,
      fields: parseRequestFields(request, withDataField(site, doctypeName)),
      expected: expectedBy(request),
    }),
    present: (changed, site) => documentAnswer(site, changed),
  };
}

function deleting(version: Version): HandlingOf<typeof remove> {
  return {
    on: 'document',
    verbs: ['DELETE'],
    parse: ({ doctypeName, name }, request) => ({ doctypeName, name, expected: expectedBy(request) }),
    present: () => deletedAnswer(version),
  };
}

function calling(
  version: Version,
  argumentsIn: (request: FastifyRequest) => Fields,
): HandlingOf<typeof runMethod> {
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
    present: (ran, site) => resultAnswer(version, ran, site),
  };
}

function bulk(on: 'bulk_update' | 'bulk_delete', key: string, items: JsonSchema) {
  const handling: HandlingOf<typeof bulkUpdate> = {
    on,
    verbs: ['POST'],
    parse: ({ doctypeName }, request) => ({ doctypeName, given: parseRequestArguments(request) }),
    present: dataAnswer,
  };
  const body = jsonBody(object({ [key]: { type: 'array', items } }));
  const reply = ['The changed documents, the failures, and their counts', OBJECT] as const;
  return { ...handling, openapi: { body, reply } };
}

function documentReply(typeName: string, headers: readonly string[] = []): JsonSchema {
  return jsonReply(
    'The document, without the fields that are null',
    object({ data: ref('schemas', schemaName.document(typeName)) }),
    headers,
  );
}
