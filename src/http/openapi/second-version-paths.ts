import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import {
  type DescribeRoute,
  envelope,
  jsonBody,
  jsonReply,
  type PathItem,
  pathParameter,
} from './operation.ts';

const OBJECT: JsonSchema = { type: 'object' };
const FAILURE: JsonSchema = {
  description: 'What was wrong, one entry each',
  content: {
    'application/json': {
      schema: envelope({
        errors: {
          type: 'array',
          items: envelope({
            type: { type: 'string' },
            message: { type: 'string' },
            title: { type: 'string' },
            indicator: { type: 'string' },
          }),
        },
      }),
    },
  },
};

const ok = (description: string, data: JsonSchema, status = '200'): JsonSchema => ({
  responses: { [status]: jsonReply(description, envelope({ data })), default: FAILURE },
});

function operation(operationId: string, summary: string, more: JsonSchema): JsonSchema {
  return { operationId, summary, tags: ['Second version'], ...more };
}

const DOCTYPE = pathParameter('doctype', 'A doctype');
const NAME = pathParameter('name', 'Name of the document');
const METHOD = pathParameter('method', 'Name of the method');
const text = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });

/** Addresses of `/api/v2` by the route that answers them: one path for all doctypes, their schemas are those of version one. */
export const secondVersionPaths = {
  collection: signedIn({
    '/api/v2/document/{doctype}': {
      parameters: [DOCTYPE],
      get: operation('listPageV2', 'One page of a list', {
        parameters: ['fields', 'filters', 'or_filters', 'order_by', 'start', 'limit'].map(text),
        ...ok('Rows, and whether there are more', { type: 'array' }),
      }),
      post: operation('createV2', 'Create a document', {
        requestBody: jsonBody(OBJECT),
        ...ok('The document', OBJECT),
      }),
    },
    '/api/v2/document/{doctype}/bulk_update': bulk(
      'bulkUpdateV2',
      'Change documents, each for itself',
      'docs',
      OBJECT,
    ),
    '/api/v2/document/{doctype}/bulk_delete': bulk(
      'bulkDeleteV2',
      'Delete documents, each for itself',
      'names',
      {
        type: 'string',
      },
    ),
  }),

  document: signedIn({
    '/api/v2/document/{doctype}/{name}': {
      parameters: [DOCTYPE, NAME],
      get: operation('readV2', 'Read a document', {
        parameters: [text('include')],
        ...ok('The document, and beside it what `include` asks for', OBJECT),
      }),
      put: operation('updateV2', 'Change a document', {
        requestBody: jsonBody(OBJECT),
        ...ok('The document', OBJECT),
      }),
      patch: operation('patchV2', 'Change a document', {
        requestBody: jsonBody(OBJECT),
        ...ok('The document', OBJECT),
      }),
      delete: operation('deleteV2', 'Delete a document', ok('Deleted', { const: 'ok' }, '202')),
    },
    '/api/v2/document/{doctype}/{name}/copy': {
      parameters: [DOCTYPE, NAME],
      get: operation('copyV2', 'An unsaved copy of a document', ok('What a new document would hold', OBJECT)),
    },
    '/api/v2/document/{doctype}/{name}/method/{method}': {
      parameters: [DOCTYPE, NAME, METHOD],
      get: operation('askDocumentV2', 'Run a method of a document that only reads', anyResult()),
      post: operation(
        'runDocumentMethodV2',
        'Run a method of a document',
        anyResult(jsonBody(OBJECT, false)),
      ),
    },
  }),

  method: signedIn({
    '/api/v2/method/{method}': {
      parameters: [METHOD],
      get: operation('askMethodV2', 'Run a method that only reads', anyResult()),
      ...Object.fromEntries(
        ['post', 'put', 'delete'].map((verb) => [
          verb,
          operation(
            `${verb}MethodV2`,
            'Run a method',
            anyResult(verb === 'delete' ? undefined : jsonBody(OBJECT, false)),
          ),
        ]),
      ),
    },
  }),

  meta: signedIn({
    '/api/v2/doctype/{doctype}/meta': {
      parameters: [DOCTYPE],
      get: operation(
        'metaV2',
        'A doctype as it is in force',
        ok('The DocType document, with its customizations', OBJECT),
      ),
    },
  }),

  search: signedIn({
    '/api/v2/doctype/{doctype}/search': {
      parameters: [DOCTYPE],
      get: operation('searchV2', 'Look for documents to link to', {
        parameters: ['txt', 'filters', 'page_length'].map(text),
        ...ok('Names, with what tells the documents apart', {
          type: 'array',
          items: {
            type: 'object',
            required: ['value', 'description'],
            properties: {
              value: { type: 'string' },
              description: { type: 'string' },
              label: { type: 'string' },
            },
          },
        }),
      }),
    },
  }),

  count: signedIn({
    '/api/v2/doctype/{doctype}/count': {
      parameters: [DOCTYPE],
      get: operation('countV2', 'Count documents', {
        parameters: ['filters', 'or_filters'].map(text),
        ...ok('How many the caller may list', { type: 'integer' }),
      }),
    },
  }),
};

function signedIn(items: Readonly<Record<string, PathItem>>): DescribeRoute {
  return (scope) => (scope.user.isGuest ? {} : items);
}

function bulk(operationId: string, summary: string, key: string, items: JsonSchema): PathItem {
  return {
    parameters: [DOCTYPE],
    post: operation(operationId, summary, {
      requestBody: jsonBody(envelope({ [key]: { type: 'array', items } })),
      ...ok('What was done, what failed, and how many', OBJECT),
    }),
  };
}

/** What a method answers, in the envelope of this version. */
export function anyResult(requestBody?: JsonSchema): JsonSchema {
  const reply = jsonReply('What the method answered', { type: 'object', properties: { data: {} } });
  return { ...(requestBody && { requestBody }), responses: { '200': reply, default: FAILURE } };
}
