import { isMethodInScope } from '../../access/key-scope.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { mayRun, type Operation } from '../../operation/operation.ts';
import { searchLink } from '../../operation/search.ts';
import { argumentsBody, queryParameters } from './argument-schemas.ts';
import {
  type DescribeRoute,
  errors,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  NO_CREDENTIALS,
  type PathItem,
  pathParameter,
  resultV2,
} from './operation.ts';

/** `/api/method/<name>`, for each method that the user may call. */
export const methodPaths: DescribeRoute = ({ methods, user }) =>
  Object.fromEntries(
    [...methods]
      .filter(([name, operation]) => mayRun(user, operation) && isMethodInScope(user, name))
      .map(([name, method]) => [`/api/method/${encodeURIComponent(name)}`, methodItem(name, method)]),
  );

/** The address of older clients: `/?cmd=<name>` calls the same methods. */
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

/** `/api/v2/method/<name>`: one path for all methods. */
export const methodPathsV2: DescribeRoute = ({ user }) => {
  if (user.isGuest) return {};
  const called = (operationId: string, summary: string, hasBody: boolean) => ({
    operationId,
    summary,
    tags: ['Second version'],
    ...(hasBody && { requestBody: jsonBody({ type: 'object' }, false) }),
    responses: resultV2(),
  });
  return {
    '/api/v2/method/{method}': {
      parameters: [pathParameter('method', 'Name of the method')],
      get: called('askMethodV2', 'Run a method that only reads', false),
      post: called('postMethodV2', 'Run a method', true),
      put: called('putMethodV2', 'Run a method', true),
      delete: called('deleteMethodV2', 'Run a method', false),
    },
  };
};

/** `/api/v2/doctype/<doctype>/search` */
export const searchPath: DescribeRoute = ({ user }) => {
  if (user.isGuest) return {};
  const { doctype: _doctype, ...args } = searchLink.args === 'any' ? {} : searchLink.args;
  const get = {
    operationId: 'searchV2',
    summary: searchLink.summary,
    tags: ['Second version'],
    parameters: queryParameters(args),
    responses: resultV2(searchLink.result),
  };
  const parameters = [pathParameter('doctype', 'A doctype')];
  return { '/api/v2/doctype/{doctype}/search': { parameters, get } };
};

function methodItem(name: string, operation: Operation<never>): PathItem {
  const body = argumentsBody(operation.args, operation.ignoresOthers);
  const takes = (verb: string): JsonSchema => {
    const inAddress = verb === 'GET' || verb === 'DELETE';
    if (inAddress) return { parameters: queryParameters(operation.args) };
    return { ...(body && { requestBody: body }), ...(verb === 'POST' && { parameters: [IDEMPOTENCY_KEY] }) };
  };
  return Object.fromEntries(
    operation.http.map((verb) => [
      verb.toLowerCase(),
      {
        operationId: `${verb.toLowerCase()}:${name}`,
        summary: operation.summary,
        tags: ['Methods'],
        ...takes(verb),
        responses: {
          // A method without a result leaves `message` out.
          '200': jsonReply('What the method answers', {
            type: 'object',
            properties: { message: operation.result },
          }),
          ...errors(401, 403, 417),
        },
        ...(operation.access === 'guest' ? NO_CREDENTIALS : {}),
      },
    ]),
  );
}
