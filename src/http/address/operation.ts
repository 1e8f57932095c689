import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { object } from '../../operation/result.ts';
import type { ApiScope } from './scope.ts';

/** The operations of a path by verb in lower case, with their shared parts. */
export type PathItem = Readonly<Record<string, unknown>>;

/** The OpenAPI paths of an address; those of many doctypes are made one by one. */
export type DescribeAddress = (scope: ApiScope) => Iterable<readonly [path: string, item: PathItem]>;

/** A reference to a component. */
export function ref(kind: 'schemas' | 'responses' | 'parameters' | 'headers', name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** A reply with a JSON body. */
export function jsonReply(
  description: string,
  schema: JsonSchema,
  headers: readonly string[] = [],
): JsonSchema {
  return {
    description,
    headers: Object.fromEntries(['X-Request-Id', ...headers].map((name) => [name, ref('headers', name)])),
    content: { 'application/json': { schema } },
  };
}

/** A request body in JSON. */
export function jsonBody(schema: JsonSchema, required = true): JsonSchema {
  return { required, content: { 'application/json': { schema } } };
}

/** A posted form. */
export function formBody(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const schema = { type: 'object', properties, required };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}

/** References to the error reply, for the statuses of an operation. */
export function errors(...statuses: readonly number[]): Record<string, JsonSchema> {
  const known = [...statuses.map(String), 'default'].map((status) => [status, ref('responses', 'Error')]);
  return {
    ...Object.fromEntries(known),
    '429': ref('responses', 'TooManyRequests'),
    '503': ref('responses', 'Busy'),
    '504': ref('responses', 'OutcomeUnknown'),
  };
}

/** A parameter in the path, as text. */
export function pathParameter(name: string, description: string): JsonSchema {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** A parameter in the query. */
export function queryParameter(
  name: string,
  description?: string,
  schema: JsonSchema = { type: 'string' },
): JsonSchema {
  return { name, in: 'query', ...(description && { description }), schema };
}

/** A header of a request, as text. */
export function header(name: string, description?: string, required?: boolean): JsonSchema {
  const said = { ...(description && { description }), ...(required !== undefined && { required }) };
  return { name, in: 'header', ...said, schema: { type: 'string' } };
}

/** On lists and reads. */
export const POSITION: JsonSchema = header(
  'X-Chancery-Position',
  'The one of the reply to your last change: a read replica that has the change may answer.',
);

/** On every creation and change of a document. */
export const CHANCERY_IMPORT: JsonSchema = {
  name: 'Chancery-Import',
  in: 'header',
  description: '1: the change triggers no webhook. Requires the right to disable webhooks.',
  schema: { type: 'string', enum: ['0', '1'] },
};

/** On every POST: a repeated request gets the stored answer. */
export const IDEMPOTENCY_KEY: JsonSchema = header(
  'Idempotency-Key',
  'For 24 hours, a further request of the same user with this key has no effect and gets the first reply.',
);

/** Callable without credentials. */
export const NO_CREDENTIALS: readonly JsonSchema[] = [{}];

/** A page for people. */
export const PAGE = { '200': { description: 'An HTML page', content: { 'text/html': {} } } };

/** The bytes of a file. */
export const BYTES = { '200': { description: 'The bytes', content: { '*/*': {} } } };

const text: JsonSchema = { type: 'string' };

/** Every refusal of the second version. */
export const FAILURE_V2: JsonSchema = jsonReply(
  'One entry for each problem',
  object({
    errors: { type: 'array', items: object({ type: text, message: text, title: text, indicator: text }) },
  }),
);

/** The result of a method, in the envelope of the second version. */
export function resultV2(data: JsonSchema = {}): Readonly<Record<string, JsonSchema>> {
  const reply = jsonReply('The result of the method', { type: 'object', properties: { data } });
  return { '200': reply, default: FAILURE_V2 };
}
