import { isMethodInScope } from '../../access/key-scope.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { mayCall } from '../../document/method.ts';
import type { BuiltIn } from '../methods/built-in.ts';
import { argumentsBody, queryParameters } from './argument-schemas.ts';
import { METHOD_MEANINGS, type MethodMeaning } from './method-meanings.ts';
import {
  type DescribeRoute,
  envelope,
  errors,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  NO_CREDENTIALS,
  type PathItem,
} from './operation.ts';

/** `/api/method/<name>` of each method that the user may call. */
export const methodPaths: DescribeRoute = ({ methods, user }) =>
  Object.fromEntries(
    [...methods]
      .filter(
        ([name, { allowGuest, declared }]) =>
          (allowGuest || !user.isGuest) &&
          mayCall(user, declared?.roles ?? []) &&
          isMethodInScope(user, name),
      )
      .map(([name, method]) => [`/api/method/${encodeURIComponent(name)}`, methodItem(name, method)]),
  );

/** The door of older clients: `/?cmd=<name>` calls the same methods. */
export const doorPaths: DescribeRoute = () => {
  const cmd = {
    name: 'cmd',
    in: 'query',
    description: 'Name of a method; the rest are its arguments.',
    schema: { type: 'string' },
  };
  const responses = { '200': jsonReply('What the method answers', {}), ...errors(403, 404, 417) };
  const shared = { tags: ['Methods'], parameters: [cmd], responses, ...NO_CREDENTIALS };
  return {
    '/': {
      get: {
        operationId: 'callByCommand',
        summary: 'Call a method by `cmd`; without it, a word about the service',
        ...shared,
      },
      post: { operationId: 'postByCommand', summary: 'Call a method by `cmd`', ...shared },
    },
  };
};

function methodItem(name: string, method: BuiltIn): PathItem {
  const { declared } = method;
  const meaning = METHOD_MEANINGS[name];
  const takes = (verb: string) => {
    const inAddress = verb === 'GET' || verb === 'DELETE';
    if (!declared || declared.args === 'any') return inAddress ? inQuery(meaning) : inBody(meaning);
    if (inAddress) return { parameters: queryParameters(declared.args) };
    const requestBody = argumentsBody(declared.args);
    return requestBody ? { requestBody } : {};
  };
  return Object.fromEntries(
    method.http.map((verb) => [
      verb.toLowerCase(),
      {
        operationId: `${verb.toLowerCase()}:${name}`,
        summary: meaning?.summary ?? (declared?.description || name),
        tags: ['Methods'],
        ...takes(verb),
        ...(verb === 'POST' ? { parameters: [IDEMPOTENCY_KEY] } : {}),
        responses: {
          '200': jsonReply('What the method answers', MESSAGE),
          ...errors(401, 403, 417),
        },
        ...(method.allowGuest ? NO_CREDENTIALS : {}),
      },
    ]),
  );
}

/** A method that has nothing to say leaves `message` out. */
const MESSAGE: JsonSchema = { type: 'object', properties: { message: {} } };

function inQuery(meaning: MethodMeaning | undefined): JsonSchema {
  if (!meaning) {
    const any = { name: 'arguments', in: 'query', style: 'form', explode: true };
    return { parameters: [{ ...any, schema: { type: 'object', additionalProperties: { type: 'string' } } }] };
  }
  return {
    parameters: Object.entries(meaning.args).map(([name, kind]) => ({
      name: nameOf(name),
      in: 'query',
      required: name.endsWith('!'),
      ...(kind === 'json' ? { content: { 'application/json': { schema: {} } } } : { schema: KINDS[kind] }),
    })),
  };
}

function inBody(meaning: MethodMeaning | undefined): JsonSchema {
  if (!meaning) return { requestBody: jsonBody({ type: 'object' }, false) };
  const names = Object.keys(meaning.args);
  if (names.length === 0) return {};
  const required = names.filter((name) => name.endsWith('!')).map(nameOf);
  const schema = envelope(
    Object.fromEntries(Object.entries(meaning.args).map(([name, kind]) => [nameOf(name), KINDS[kind]])),
  );
  return { requestBody: jsonBody({ ...schema, required }, required.length > 0) };
}

function nameOf(name: string): string {
  return name.replace(/!$/, '');
}

const KINDS: Readonly<Record<MethodMeaning['args'][string], JsonSchema>> = {
  text: { type: 'string' },
  whole: { type: 'integer' },
  flag: { type: ['boolean', 'integer'] },
  json: {},
};
