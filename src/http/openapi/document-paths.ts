import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { findAddress, type RestVerb, verbsOn } from '../documents/addresses.ts';
import { DOCUMENT_ROUTES, type DocumentRoute, PATHS, type Part } from '../documents/document-target.ts';
import { schemaName } from './doctype-schemas.ts';
import { LIST_PARAMETER_REFS } from './list-parameters.ts';
import {
  CHANCERY_IMPORT,
  type DescribeRoute,
  envelope,
  errors,
  FAILURE_V2,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  type PathItem,
  pathParameter,
  ref,
} from './operation.ts';
import type { ResourceVerb, UsableDoctype } from './scope.ts';

/** The paths of each route of documents. The table of addresses gives their versions, parts and verbs. */
export const documentPaths: Readonly<Record<string, DescribeRoute>> = Object.fromEntries(
  DOCUMENT_ROUTES.map((route) => [route.path, route.version === 'v1' ? ofEachDoctype(route) : ofAny(route)]),
);

const OBJECT: JsonSchema = { type: 'object' };
const IF_MATCH = header('If-Match', 'An ETag: refused with 412 when the document has another by now.');

/**
 * The OpenAPI details of an operation of the first version that the table lacks; `type` is the type name of
 * the doctype.
 */
interface Detail {
  /** Shown to users with this right on the doctype. */
  readonly right: ResourceVerb;
  readonly id?: (type: string) => string;
  readonly parameters: readonly JsonSchema[];
  readonly body?: (type: string) => JsonSchema;
  readonly replies: (type: string) => Readonly<Record<string, JsonSchema>>;
}

const DETAILS: Readonly<Record<string, Detail>> = {
  list: {
    right: 'list',
    parameters: LIST_PARAMETER_REFS,
    replies: (type) => ({
      '200': jsonReply(
        'Rows of the fields asked for',
        envelope({ data: { type: 'array', items: ref('schemas', schemaName.fields(type)) } }),
        ['X-Ignored-Parameters'],
      ),
      ...errors(401, 403, 417),
    }),
  },
  create: {
    right: 'create',
    parameters: [IDEMPOTENCY_KEY, CHANCERY_IMPORT],
    body: (type) => jsonBody(ref('schemas', schemaName.create(type))),
    replies: (type) => ({ '200': documentReply(type), ...errors(401, 403, 409, 417) }),
  },
  read: {
    right: 'read',
    parameters: [header('If-None-Match', 'An ETag: the reply is 304 while the document has it.')],
    replies: (type) => ({
      '200': documentReply(type, ['ETag']),
      '304': ref('responses', 'NotModified'),
      ...errors(401, 403, 404),
    }),
  },
  update: {
    right: 'update',
    parameters: [IF_MATCH, CHANCERY_IMPORT],
    body: (type) => jsonBody(ref('schemas', schemaName.update(type))),
    replies: (type) => ({ '200': documentReply(type), ...errors(401, 403, 404, 412, 417) }),
  },
  delete: {
    right: 'delete',
    parameters: [IF_MATCH],
    replies: () => ({
      '202': jsonReply('Deleted', envelope({ message: { const: 'ok' }, data: { const: 'ok' } })),
      ...errors(401, 403, 404, 412, 417),
    }),
  },
  // For POST; GET shares the path and verb of a read.
  runMethod: {
    right: 'update',
    id: (type) => `run${type}Method`,
    parameters: [
      { name: 'run_method', in: 'query', required: true, schema: { type: 'string' } },
      IDEMPOTENCY_KEY,
    ],
    body: () => jsonBody({ ...OBJECT, description: 'Its arguments.' }, false),
    replies: () => ({
      '200': jsonReply('What the method answers', { ...OBJECT, properties: { data: {} } }),
      ...errors(401, 403, 404, 405, 417),
    }),
  },
};

/** One path per doctype. A method is named in the query there, so it shares the path of the document. */
function ofEachDoctype({ version, parts }: DocumentRoute): DescribeRoute {
  const [first = 'document'] = parts;
  const isOne = first === 'document';
  const path = PATHS[version][first] ?? '';
  return ({ doctypes }) =>
    Object.fromEntries(
      doctypes.map((usable) => [
        // Braces would begin a parameter.
        path.replace('{doctype}', encodeURIComponent(usable.doctype.name)),
        {
          ...(isOne && { parameters: [pathParameter('name', `Name of the ${usable.doctype.name}`)] }),
          ...Object.assign({}, ...parts.toReversed().map((part) => typedItem(part, usable))),
        },
      ]),
    );
}

function typedItem(part: Part, { doctype, typeName, verbs }: UsableDoctype): PathItem {
  const item: Record<string, JsonSchema> = {};
  for (const verb of verbsOn('v1', part)) {
    const { operation } = findAddress('v1', part, verb) ?? {};
    const detail = DETAILS[operation?.name ?? ''];
    if (!operation || !detail || !verbs.has(detail.right)) continue;
    item[verb.toLowerCase()] = {
      operationId: detail.id?.(typeName) ?? `${operation.name}${typeName}`,
      summary: operation.summary
        .replace('a document', `a ${doctype.name}`)
        .replace('documents', doctype.name),
      tags: [doctype.name],
      parameters: detail.parameters,
      ...(detail.body && { requestBody: detail.body(typeName) }),
      responses: detail.replies(typeName),
    };
  }
  return item;
}

/** The same for the second version, where one path serves all doctypes. */
interface DetailV2 {
  readonly query?: readonly string[];
  readonly body?: JsonSchema;
  readonly reply: readonly [description: string, data: JsonSchema, status?: string];
}

const DETAILS_V2: Readonly<Record<string, DetailV2>> = {
  list: {
    query: ['fields', 'filters', 'or_filters', 'order_by', 'start', 'limit'],
    reply: ['Rows, and whether there are more', { type: 'array' }],
  },
  create: { body: jsonBody(OBJECT), reply: ['The document', OBJECT] },
  read: { query: ['include'], reply: ['The document, and beside it what `include` asks for', OBJECT] },
  update: { body: jsonBody(OBJECT), reply: ['The document', OBJECT] },
  delete: { reply: ['Deleted', { const: 'ok' }, '202'] },
  copy: { reply: ['What a new document would hold', OBJECT] },
  runMethod: { body: jsonBody(OBJECT, false), reply: ['What the method answered', {}] },
  bulkUpdate: bulk('docs', OBJECT),
  bulkDelete: bulk('names', { type: 'string' }),
  meta: { reply: ['The DocType document, with its customizations', OBJECT] },
  count: {
    query: ['filters', 'or_filters'],
    reply: ['How many the caller may list', { type: 'integer' }],
  },
};

function bulk(key: string, items: JsonSchema): DetailV2 {
  const body = jsonBody(envelope({ [key]: { type: 'array', items } }));
  return { body, reply: ['What was done, what failed, and how many', OBJECT] };
}

function ofAny({ version, parts }: DocumentRoute): DescribeRoute {
  return ({ user }) =>
    user.isGuest ? {} : Object.fromEntries(parts.map((part) => [PATHS[version][part] ?? '', anyItem(part)]));
}

const NAMED: Readonly<Record<string, string>> = {
  doctype: 'A doctype',
  name: 'Name of the document',
  method: 'Name of the method',
};

function anyItem(part: Part): PathItem {
  const names = [...(PATHS.v2[part] ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    parameters: names.map((name) => pathParameter(name, NAMED[name] ?? '')),
    ...Object.fromEntries(verbsOn('v2', part).map((verb) => [verb.toLowerCase(), anyOperation(part, verb)])),
  };
}

function anyOperation(part: Part, verb: RestVerb): JsonSchema {
  const { operation } = findAddress('v2', part, verb) ?? {};
  const detail = DETAILS_V2[operation?.name ?? ''];
  if (!operation || !detail) throw new Error(`nothing is said of ${verb} ${part} in OpenAPI`);
  const { query, body, reply } = detail;
  const [description, data, status = '200'] = reply;
  const isOnlyRead = verb === 'GET' && operation.effect === 'write';
  // A result that may be null leaves `data` out.
  const schema = part === 'method' ? { ...OBJECT, properties: { data } } : envelope({ data });
  return {
    operationId: idV2(operation.name, verb, isOnlyRead),
    summary: isOnlyRead ? `${operation.summary} that only reads` : operation.summary,
    tags: ['Second version'],
    ...(query && { parameters: query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })) }),
    ...(body && !isOnlyRead && { requestBody: body }),
    responses: { [status]: jsonReply(description, schema), default: FAILURE_V2 },
  };
}

function idV2(name: string, verb: RestVerb, isOnlyRead: boolean): string {
  if (isOnlyRead) return 'askDocumentV2';
  if (verb === 'PATCH') return 'patchV2';
  return { list: 'listPageV2', runMethod: 'runDocumentMethodV2' }[name] ?? `${name}V2`;
}

function header(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

function documentReply(typeName: string, headers: readonly string[] = []): JsonSchema {
  return jsonReply(
    'The document, without the fields that are null',
    envelope({ data: ref('schemas', schemaName.document(typeName)) }),
    headers,
  );
}
