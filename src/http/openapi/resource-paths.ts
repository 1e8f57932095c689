import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { schemaName } from './doctype-schemas.ts';
import { LIST_PARAMETER_REFS } from './list-parameters.ts';
import {
  CHANCERY_IMPORT,
  type DescribeRoute,
  envelope,
  errors,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  type PathItem,
  pathParameter,
  ref,
} from './operation.ts';
import type { UsableDoctype } from './scope.ts';

/** `/api/resource/<doctype>` of each doctype. */
export const collectionPaths: DescribeRoute = (scope) =>
  Object.fromEntries(
    scope.doctypes.map((usable) => [`/api/resource/${inPath(usable)}`, collectionItem(usable)]),
  );

/** `/api/resource/<doctype>/<name>` of each doctype. */
export const documentPaths: DescribeRoute = (scope) =>
  Object.fromEntries(
    scope.doctypes.map((usable) => [`/api/resource/${inPath(usable)}/{name}`, documentItem(usable)]),
  );

// Braces would begin a parameter.
function inPath({ doctype }: UsableDoctype): string {
  return encodeURIComponent(doctype.name);
}

function collectionItem({ doctype, typeName, verbs }: UsableDoctype): PathItem {
  const tags = [doctype.name];
  return {
    ...(verbs.has('list') && {
      get: {
        operationId: `list${typeName}`,
        summary: `List ${doctype.name}`,
        tags,
        parameters: LIST_PARAMETER_REFS,
        responses: {
          '200': jsonReply(
            'Rows of the fields asked for',
            envelope({ data: { type: 'array', items: ref('schemas', schemaName.fields(typeName)) } }),
            ['X-Ignored-Parameters'],
          ),
          ...errors(401, 403, 417),
        },
      },
    }),
    ...(verbs.has('create') && {
      post: {
        operationId: `create${typeName}`,
        summary: `Create a ${doctype.name}`,
        tags,
        parameters: [IDEMPOTENCY_KEY, CHANCERY_IMPORT],
        requestBody: jsonBody(ref('schemas', schemaName.create(typeName))),
        responses: { '200': documentReply(typeName), ...errors(401, 403, 409, 417) },
      },
    }),
  };
}

function documentItem({ doctype, typeName, verbs }: UsableDoctype): PathItem {
  const tags = [doctype.name];
  return {
    parameters: [pathParameter('name', `Name of the ${doctype.name}`)],
    ...(verbs.has('read') && {
      get: {
        operationId: `read${typeName}`,
        summary: `Read a ${doctype.name}`,
        tags,
        parameters: [header('If-None-Match', 'An ETag: the reply is 304 while the document has it.')],
        responses: {
          '200': documentReply(typeName, ['ETag']),
          '304': ref('responses', 'NotModified'),
          ...errors(401, 403, 404),
        },
      },
    }),
    ...(verbs.has('read') && {
      post: {
        operationId: `run${typeName}Method`,
        summary: `Run a method of a ${doctype.name}`,
        tags,
        parameters: [
          { name: 'run_method', in: 'query', required: true, schema: { type: 'string' } },
          IDEMPOTENCY_KEY,
        ],
        requestBody: jsonBody({ type: 'object', description: 'Its arguments.' }, false),
        responses: {
          '200': jsonReply('What the method answers', { type: 'object', properties: { data: {} } }),
          ...errors(401, 403, 404, 417),
        },
      },
    }),
    ...(verbs.has('update') && {
      put: {
        operationId: `update${typeName}`,
        summary: `Change a ${doctype.name}`,
        tags,
        parameters: [IF_MATCH, CHANCERY_IMPORT],
        requestBody: jsonBody(ref('schemas', schemaName.update(typeName))),
        responses: { '200': documentReply(typeName), ...errors(401, 403, 404, 412, 417) },
      },
      post: {
        operationId: `runMethodOf${typeName}`,
        summary: `Run a method of a ${doctype.name}`,
        tags,
        requestBody: jsonBody({
          type: 'object',
          properties: { run_method: { type: 'string' } },
          required: ['run_method'],
        }),
        responses: {
          '200': jsonReply('What the method answered', { type: 'object', properties: { data: {} } }),
          ...errors(401, 403, 404, 405, 417),
        },
      },
    }),
    ...(verbs.has('delete') && {
      delete: {
        operationId: `delete${typeName}`,
        summary: `Delete a ${doctype.name}`,
        tags,
        parameters: [IF_MATCH],
        responses: {
          '202': jsonReply('Deleted', envelope({ message: { const: 'ok' }, data: { const: 'ok' } })),
          ...errors(401, 403, 404, 412, 417),
        },
      },
    }),
  };
}

const IF_MATCH = header('If-Match', 'An ETag: refused with 412 when the document has another by now.');

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
