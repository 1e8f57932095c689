import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { object } from '../../operation/result.ts';
import { type AddressOf, defineAddress } from '../address/address.ts';
import { errors, formBody, jsonReply, PAGE } from '../address/operation.ts';

const METHOD = '/api/method/frappe.integrations.oauth2.';
const text: JsonSchema = { type: 'string' };
const AWAY = {
  '303': { description: 'Redirect to the client with a code or an error, or first to `/login`' },
};

/** The values of an authorization request, as parameters or as fields. */
const ASKED: Readonly<Record<string, JsonSchema>> = {
  client_id: text,
  redirect_uri: text,
  response_type: { const: 'code' },
  scope: { type: 'string', examples: ['all openid'] },
  state: text,
  code_challenge: { type: 'string', description: 'Required for clients without a secret.' },
  code_challenge_method: { const: 'S256' },
};
const REQUIRED = ['client_id', 'redirect_uri', 'response_type'];

/** Asks a user to admit a client. */
export const AUTHORIZE = defineAddress(`${METHOD}authorize`, 'guest', 'read', {
  tag: 'OAuth',
  confidential: true,
  verbs: {
    GET: {
      id: 'oauthAuthorize',
      summary: 'Ask the user in the browser to authorize a client',
      parameters: Object.entries(ASKED).map(([name, schema]) => ({
        name,
        in: 'query',
        required: REQUIRED.includes(name),
        schema,
      })),
      replies: { ...PAGE, ...AWAY, ...errors(400) },
    },
  },
});

/** The form of that page. */
export const APPROVE = defineAddress(`${METHOD}approve`, 'user', 'write', {
  tag: 'OAuth',
  shownTo: () => true,
  verbs: {
    POST: {
      id: 'oauthApprove',
      summary: "Submit the user's answer on the consent page",
      body: formBody({ ...ASKED, csrf_token: text, decision: { enum: ['allow', 'deny'] } }, [
        ...REQUIRED,
        'csrf_token',
        'decision',
      ]),
      replies: { ...AWAY, ...errors(400, 403) },
      security: [{ session: [] }],
    },
  },
});

/** Exchanges a code for tokens. */
export const TOKEN = clientPost(
  'get_token',
  'oauthToken',
  'Exchange a code or a refresh token for tokens',
  {
    grant_type: { enum: ['authorization_code', 'refresh_token'] },
    code: text,
    redirect_uri: text,
    code_verifier: text,
    refresh_token: text,
    scope: text,
  },
  object({
    access_token: text,
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer' },
    refresh_token: text,
    scope: text,
  }),
);

/** Revokes a token. */
export const REVOKE = clientPost(
  'revoke_token',
  'oauthRevoke',
  'Revoke the grant of a token',
  { token: text, token_type_hint: text },
  { type: 'object' },
);

/** Describes a token. */
export const INTROSPECT = clientPost(
  'introspect_token',
  'oauthIntrospect',
  'Describe a token of this client',
  { token: text, token_type_hint: text },
  object({ active: { type: 'boolean' } }),
);

const PROFILE_CALL = {
  summary: 'Read the claims of OpenID Connect about the caller',
  replies: { '200': jsonReply('Claims', object({ sub: text, iss: text })), ...errors(401, 403) },
};

/** The claims of the caller. */
export const PROFILE = defineAddress(`${METHOD}openid_profile`, 'user', 'read', {
  tag: 'OAuth',
  shownTo: () => true,
  verbs: {
    GET: { id: 'oauthProfile', ...PROFILE_CALL },
    POST: { id: 'oauthProfileByPost', ...PROFILE_CALL },
  },
});

/** Tells clients the addresses above. */
export const METADATA = defineAddress('/.well-known/oauth-authorization-server', 'guest', 'none', {
  tag: 'OAuth',
  verbs: {
    GET: {
      id: 'oauthMetadata',
      summary: 'Read the metadata of the authorization server (RFC 8414)',
      replies: { '200': jsonReply('Metadata', object({ issuer: text })), ...errors() },
    },
  },
});

function clientPost(
  method: string,
  id: string,
  summary: string,
  fields: Readonly<Record<string, JsonSchema>>,
  reply: JsonSchema,
): AddressOf<'POST'> {
  const body = formBody({ ...fields, client_id: text, client_secret: text }, Object.keys(fields).slice(0, 1));
  const description =
    'The client authenticates with `client_id` and `client_secret`, in the body or as HTTP Basic.';
  const replies = {
    '200': jsonReply('The reply that RFC 6749, 7009 or 7662 defines', reply),
    ...errors(400, 401),
  };
  const verbs = { POST: { id, summary, description, body, replies } };
  return defineAddress(METHOD + method, 'client', 'login', { tag: 'OAuth', confidential: true, verbs });
}
