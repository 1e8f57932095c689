import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { OAUTH_PATHS } from '../oauth/metadata.ts';
import {
  type DescribeRoute,
  envelope,
  errors,
  jsonReply,
  NO_CREDENTIALS,
  pathParameter,
} from './operation.ts';

const text: JsonSchema = { type: 'string' };

const PROVIDER = pathParameter('provider', 'Name of a Social Login Key');

const PAGE = { '200': { description: 'A page', content: { 'text/html': {} } } };
const AWAY = { '303': { description: 'To the client, with a code or an error; or to `/login` first' } };

/** The values of an authorization request, as parameters or as fields. */
const ASKED: Readonly<Record<string, JsonSchema>> = {
  client_id: text,
  redirect_uri: text,
  response_type: { const: 'code' },
  scope: { type: 'string', examples: ['all openid'] },
  state: text,
  code_challenge: { type: 'string', description: 'Required of clients without a secret.' },
  code_challenge_method: { const: 'S256' },
};
const REQUIRED = ['client_id', 'redirect_uri', 'response_type'];

/** A form that is posted. */
function form(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  const schema = { type: 'object', properties, required };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}

function clientPost(
  path: string,
  operationId: string,
  summary: string,
  fields: Readonly<Record<string, JsonSchema>>,
  reply: JsonSchema,
): DescribeRoute {
  const client = { client_id: text, client_secret: text };
  const post = {
    operationId,
    summary,
    description: 'The client proves itself by `client_id` and `client_secret`, or with both as HTTP Basic.',
    tags: ['OAuth'],
    requestBody: form({ ...fields, ...client }, Object.keys(fields).slice(0, 1)),
    responses: { '200': jsonReply('As RFC 6749, 7009 and 7662 have it', reply), ...errors(400, 401) },
    ...NO_CREDENTIALS,
  };
  return () => ({ [path]: { post } });
}

/** The authorization server, and the page to sign in on. */
export const oauthPaths: Readonly<Record<string, DescribeRoute>> = {
  [OAUTH_PATHS.authorize]: () => ({
    [OAUTH_PATHS.authorize]: {
      get: {
        operationId: 'oauthAuthorize',
        summary: 'Ask the user in the browser to let a client in',
        tags: ['OAuth'],
        parameters: Object.entries(ASKED).map(([name, schema]) => ({
          name,
          in: 'query',
          required: REQUIRED.includes(name),
          schema,
        })),
        responses: { ...PAGE, ...AWAY, ...errors(400) },
        ...NO_CREDENTIALS,
      },
    },
  }),
  [OAUTH_PATHS.approve]: () => ({
    [OAUTH_PATHS.approve]: {
      post: {
        operationId: 'oauthApprove',
        summary: "The user's answer, from the page that asked",
        tags: ['OAuth'],
        requestBody: form({ ...ASKED, csrf_token: text, decision: { enum: ['allow', 'deny'] } }, [
          ...REQUIRED,
          'csrf_token',
          'decision',
        ]),
        responses: { ...AWAY, ...errors(400, 403) },
        security: [{ session: [] }],
      },
    },
  }),
  [OAUTH_PATHS.token]: clientPost(
    OAUTH_PATHS.token,
    'oauthToken',
    'Tokens for a code or a refresh token',
    {
      grant_type: { enum: ['authorization_code', 'refresh_token'] },
      code: text,
      redirect_uri: text,
      code_verifier: text,
      refresh_token: text,
      scope: text,
    },
    envelope({
      access_token: text,
      token_type: { const: 'Bearer' },
      expires_in: { type: 'integer' },
      refresh_token: text,
      scope: text,
    }),
  ),
  [OAUTH_PATHS.revoke]: clientPost(
    OAUTH_PATHS.revoke,
    'oauthRevoke',
    'End what a token stands for',
    { token: text, token_type_hint: text },
    { type: 'object' },
  ),
  [OAUTH_PATHS.introspect]: clientPost(
    OAUTH_PATHS.introspect,
    'oauthIntrospect',
    'What a token of this client stands for',
    { token: text, token_type_hint: text },
    envelope({ active: { type: 'boolean' } }),
  ),
  [OAUTH_PATHS.profile]: () => {
    const call = (operationId: string) => ({
      operationId,
      summary: 'Who calls, in the words of OpenID Connect',
      tags: ['OAuth'],
      responses: { '200': jsonReply('Claims', envelope({ sub: text, iss: text })), ...errors(401, 403) },
    });
    return { [OAUTH_PATHS.profile]: { get: call('oauthProfile'), post: call('oauthProfileByPost') } };
  },
  [OAUTH_PATHS.metadata]: () => ({
    [OAUTH_PATHS.metadata]: {
      get: {
        operationId: 'oauthMetadata',
        summary: 'The authorization server (RFC 8414)',
        tags: ['OAuth'],
        responses: { '200': jsonReply('Metadata', envelope({ issuer: text })), ...errors() },
        ...NO_CREDENTIALS,
      },
    },
  }),
  '/api/auth/:provider/start': () => ({
    '/api/auth/{provider}/start': {
      parameters: [PROVIDER],
      get: {
        operationId: 'signInStart',
        summary: 'Sign in at a provider of OpenID Connect',
        tags: ['OAuth'],
        parameters: [{ name: 'redirect-to', in: 'query', schema: text }],
        responses: { '303': { description: 'To the provider' }, ...errors(404, 503) },
        ...NO_CREDENTIALS,
      },
    },
  }),
  '/api/auth/:provider/callback': () => ({
    '/api/auth/{provider}/callback': {
      parameters: [PROVIDER],
      get: {
        operationId: 'signInCallback',
        summary: "The provider's answer",
        tags: ['OAuth'],
        responses: { '303': { description: 'Signed in, with cookies' }, ...errors(401, 403, 404, 503) },
        ...NO_CREDENTIALS,
      },
    },
  }),
  '/login': () => ({
    '/login': {
      get: {
        operationId: 'loginPage',
        summary: 'A page to sign in on, which works without scripts',
        tags: ['OAuth'],
        parameters: [{ name: 'redirect-to', in: 'query', schema: text }],
        responses: { ...PAGE, ...errors() },
        ...NO_CREDENTIALS,
      },
      post: {
        operationId: 'loginByPage',
        summary: 'The form of that page',
        tags: ['OAuth'],
        requestBody: form({ usr: text, pwd: text, otp: text, tmp_id: text, 'redirect-to': text }, []),
        responses: { ...PAGE, ...errors(400) },
        ...NO_CREDENTIALS,
      },
    },
  }),
};
