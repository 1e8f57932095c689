import { isMethodInScope } from '../../access/key-scope.ts';
import { mayRun, type Operation } from '../../operation/operation.ts';
import { searchLink } from '../../operation/search.ts';
import { addressDescribedBy, alsoAt, defineAddress } from '../address/address.ts';
import { queryParameters, sentArguments } from '../address/argument-schemas.ts';
import {
  type DescribeAddress,
  errors,
  IDEMPOTENCY_KEY,
  jsonBody,
  jsonReply,
  NO_CREDENTIALS,
  type PathItem,
  queryParameter,
  resultV2,
} from '../address/operation.ts';

/** OpenAPI has one path for each method that the user may call. */
const eachMethod: DescribeAddress = ({ methods, user }) =>
  [...methods]
    .filter(([name, operation]) => mayRun(user, operation) && isMethodInScope(user, name))
    .map(([name, method]) => [`/api/method/${encodeURIComponent(name)}`, methodItem(name, method)]);

// The request names a method, which decides whether a Guest may call it.
const RUN = { summary: 'Run a method' };

/** A method by name. */
export const METHOD = addressDescribedBy(eachMethod, '/api/method/:method', 'permission', 'method', {
  calls: '*',
  verbs: { GET: RUN, POST: RUN, PUT: RUN, DELETE: RUN },
});

/** Only the part before the first slash counts. */
export const METHOD_AND_MORE = alsoAt(METHOD, '/api/method/:method/*');

/** The same in the second version. */
export const METHOD_V2 = defineAddress('/api/v2/method/:method', 'permission', 'method', {
  calls: '*',
  tag: 'Second version',
  variables: { method: 'Name of the method' },
  verbs: {
    GET: { id: 'askMethodV2', summary: 'Run a method that only reads', replies: resultV2() },
    POST: { id: 'postMethodV2', ...RUN, body: jsonBody({ type: 'object' }, false), replies: resultV2() },
    PUT: { id: 'putMethodV2', ...RUN, body: jsonBody({ type: 'object' }, false), replies: resultV2() },
    DELETE: { id: 'deleteMethodV2', ...RUN, replies: resultV2() },
  },
});

const { doctype: _doctype, ...searchArguments } = searchLink.args === 'any' ? {} : searchLink.args;

/** The search of the second version. */
export const SEARCH_V2 = defineAddress('/api/v2/doctype/:doctype/search', 'permission', 'method', {
  tag: 'Second version',
  variables: { doctype: 'A doctype' },
  verbs: {
    GET: {
      id: 'searchV2',
      summary: searchLink.summary,
      parameters: queryParameters(searchArguments),
      replies: resultV2(searchLink.result),
    },
  },
});

const BY_COMMAND = {
  parameters: [queryParameter('cmd', 'Name of a method; the other parameters are its arguments.')],
  replies: { '200': jsonReply('The result of the method', {}), ...errors(403, 404, 417) },
  security: NO_CREDENTIALS,
};

/** The address of older clients: `/?cmd=<name>` calls the same methods. */
export const COMMAND = defineAddress('/', 'permission', 'method', {
  calls: '*',
  tag: 'Methods',
  shownTo: () => true,
  verbs: {
    GET: {
      id: 'callByCommand',
      summary: 'Call a method by `cmd`; without it, read about the service',
      ...BY_COMMAND,
    },
    POST: { id: 'postByCommand', summary: 'Call a method by `cmd`', ...BY_COMMAND },
  },
});

function methodItem(name: string, operation: Operation<never>): PathItem {
  return Object.fromEntries(
    operation.http.map((verb) => [
      verb.toLowerCase(),
      {
        operationId: `${verb.toLowerCase()}:${name}`,
        summary: operation.summary,
        tags: ['Methods'],
        ...sentArguments(verb, operation.args, operation.ignoresOthers),
        ...(verb === 'POST' && { parameters: [IDEMPOTENCY_KEY] }),
        responses: {
          // A method without a result leaves `message` out.
          '200': jsonReply('The result of the method', {
            type: 'object',
            properties: { message: operation.result },
          }),
          ...errors(401, 403, 417),
        },
        ...(operation.access === 'guest' && { security: NO_CREDENTIALS }),
      },
    ]),
  );
}
