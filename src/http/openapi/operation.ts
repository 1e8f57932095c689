import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import type { ApiScope } from './scope.ts';

/** Operations of a path by verb in lower case, with what they share. */
export type PathItem = Readonly<Record<string, unknown>>;

/** What a registered route means to OpenAPI: the paths it stands for, by their addresses. */
export type DescribeRoute = (scope: ApiScope) => Readonly<Record<string, PathItem>>;

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

/** An object with these properties, all of them there. */
export function envelope(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** A request body in JSON. */
export function jsonBody(schema: JsonSchema, required = true): JsonSchema {
  return { required, content: { 'application/json': { schema } } };
}

/** References to the error reply, by the statuses that an operation is known to answer. */
export function errors(...statuses: readonly number[]): Record<string, JsonSchema> {
  const known = [...statuses.map(String), 'default'].map((status) => [status, ref('responses', 'Error')]);
  return {
    ...Object.fromEntries(known),
    '429': ref('responses', 'TooManyRequests'),
    '503': ref('responses', 'Busy'),
  };
}

/** A parameter in the path, as text. */
export function pathParameter(name: string, description: string): JsonSchema {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** On every creation and change of a document. */
export const CHANCERY_IMPORT: JsonSchema = {
  name: 'Chancery-Import',
  in: 'header',
  description: '1: no webhook hears of the change. Only for who may switch webhooks off.',
  schema: { type: 'string', enum: ['0', '1'] },
};

/** On every POST: what was answered once is answered again. */
export const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request of the same user with the same key gets the first answer for 24 hours, without any effect.',
  schema: { type: 'string' },
};

/** Callable without credentials. */
export const NO_CREDENTIALS: JsonSchema = { security: [{}] };
