import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { ERRORS } from '../../kernel/errors.ts';
import { ref } from './operation.ts';

/** Ways to say who calls. */
export const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The text `token <api_key>:<api_secret>`.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'The API key as user, its secret as password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token of an OAuth client.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sid',
    description: 'A browser that signed in with `login`.',
  },
};

/** Schemas that belong to no doctype. */
export const STANDARD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: {
    title: 'Error',
    type: 'object',
    description: 'What every refusal looks like.',
    properties: {
      exception: { type: 'string', examples: ['frappe.exceptions.MandatoryError: [Ticket, new]: subject'] },
      exc_type: {
        type: 'string',
        description: 'Stable: what to decide by.',
        examples: [...Object.keys(ERRORS), 'InternalServerError'],
      },
      exc: {
        type: 'string',
        contentMediaType: 'application/json',
        description: 'A list with the exception.',
      },
      _server_messages: {
        type: 'string',
        contentMediaType: 'application/json',
        description:
          'A list of JSON texts of objects with `message` and `title`, one for each problem; `fieldname`, and for rows `table` and `row`, where a field is at fault.',
      },
    },
    required: ['exc_type'],
  },
};

/** Replies that several operations share. */
export const RESPONSES: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'Refused; `exc_type` says why',
    headers: { 'X-Request-Id': ref('headers', 'X-Request-Id') },
    content: { 'application/json': { schema: ref('schemas', 'Error') } },
  },
  TooManyRequests: {
    description: 'More requests than the key, the user or the address may send; try again later',
    headers: {
      'X-Request-Id': ref('headers', 'X-Request-Id'),
      'Retry-After': ref('headers', 'Retry-After'),
      RateLimit: ref('headers', 'RateLimit'),
      'RateLimit-Policy': ref('headers', 'RateLimit-Policy'),
    },
    content: { 'application/json': { schema: ref('schemas', 'Error') } },
  },
  Busy: {
    description: 'The server has too much to do, or cannot do it now; nothing was changed',
    headers: {
      'X-Request-Id': ref('headers', 'X-Request-Id'),
      'Retry-After': ref('headers', 'Retry-After'),
    },
    content: { 'application/json': { schema: ref('schemas', 'Error') } },
  },
  NotModified: { description: 'The document is the one that If-None-Match names' },
};

/** Headers of replies. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'Names this request in the log; the one that was sent, when one was.',
    schema: { type: 'string' },
  },
  'X-Ignored-Parameters': {
    description: 'Names of query parameters that had no effect.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: {
    description: 'What is left: `r` requests; all of the quota is back in `t` seconds.',
    schema: { type: 'string', examples: ['"key";r=59990;t=1'] },
  },
  'RateLimit-Policy': {
    description: 'The quota: `q` requests in `w` seconds.',
    schema: { type: 'string', examples: ['"key";q=60000;w=60'] },
  },
  ETag: {
    description: 'The revision of the document, for If-Match and If-None-Match.',
    schema: { type: 'string' },
  },
};
