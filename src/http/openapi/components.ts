import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { ERRORS } from '../../kernel/errors.ts';
import { jsonReply, ref } from '../address/operation.ts';

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
    description: 'The body of every error.',
    properties: {
      exception: { type: 'string', examples: ['frappe.exceptions.MandatoryError: [Ticket, new]: subject'] },
      exc_type: {
        type: 'string',
        description: 'The type of the error. Programs decide by it, because it is stable.',
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
          'A list of JSON texts, one for each problem: an object with `message` and `title`. A problem of a field also has `fieldname`, and in a row `table` and `row`.',
      },
      _error_message: { type: 'string', description: 'The message of a PermissionError.' },
      message: { type: 'string', description: 'The message of a refused sign-in.' },
    },
    required: ['exc_type'],
  },
};

const ERROR = ref('schemas', 'Error');

/** Replies that several operations share. */
export const RESPONSES: Readonly<Record<string, JsonSchema>> = {
  Error: jsonReply('An error; `exc_type` is its type', ERROR),
  TooManyRequests: jsonReply(
    'The key, the user or the address sent too many requests; try again later',
    ERROR,
    ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  ),
  Busy: jsonReply('The server is overloaded or temporarily unavailable; nothing was changed', ERROR, [
    'Retry-After',
  ]),
  OutcomeUnknown: jsonReply(
    'OutcomeUnknownError: the change may be stored or not; look before you send it again',
    ERROR,
  ),
  NotModified: { description: 'The document still has the ETag of If-None-Match' },
};

/** Headers of replies. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'Identifies this request in the log; the id of the request if it sent one.',
    schema: { type: 'string' },
  },
  'X-Ignored-Parameters': {
    description: 'Names of query parameters that had no effect.',
    schema: { type: 'string' },
  },
  'X-Chancery-Position': {
    description: 'With read replicas only: the position of the change, for the next reads.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: {
    description: 'The remaining quota: `r` requests. It is full again in `t` seconds.',
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
