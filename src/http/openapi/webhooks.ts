import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { schemaName } from './doctype-schemas.ts';
import { jsonBody, type PathItem, ref } from './operation.ts';
import type { ApiScope } from './scope.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The same over all attempts: drop what you have seen.',
  'webhook-timestamp': 'Seconds since 1970.',
  'webhook-signature': '`v1,` and the signature of Standard Webhooks, one for each secret that counts.',
  'webhook-attempt': '1 for the first.',
  'webhook-sequence': 'Grows with each delivery of the webhook.',
  'webhook-event': '`<doctype>.<event>`',
  'webhook-chain':
    'The deliveries that led to this one, signed. Send it with the requests that you make in answer.',
  traceparent: 'W3C Trace Context.',
  'X-Service-Webhook-Signature': 'base64 of HMAC-SHA256 over the raw body, keyed with the secret.',
};

/** The webhook requests to receivers, for users who may create webhooks: one entry per doctype. */
export function webhookItems(scope: ApiScope): Readonly<Record<string, PathItem>> {
  const mayMake = scope.doctypes.some(
    ({ doctype, verbs }) => doctype.name === 'Webhook' && verbs.has('create'),
  );
  if (!mayMake) return {};
  return Object.fromEntries(
    scope.doctypes
      .filter(({ doctype, verbs }) => verbs.has('read') && doctype.rowsFrom === 'table' && !doctype.istable)
      .map(({ doctype, typeName }) => [doctype.name, { post: payload(doctype.name, typeName) }]),
  );
}

function payload(doctypeName: string, typeName: string): JsonSchema {
  return {
    operationId: `webhook${typeName}`,
    summary: `A ${doctypeName} changed`,
    description:
      "The whole document with nulls, the chosen fields under their keys, or what the webhook's template makes; with `__previous` " +
      'where the webhook says so, and with `truncated` in place of the fields when it would be too long.',
    tags: [doctypeName],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: jsonBody({
      anyOf: [
        ref('schemas', schemaName.document(typeName)),
        { type: 'object', title: 'Chosen fields' },
        { title: 'Template' },
      ],
    }),
    responses: {
      '2XX': { description: 'Received' },
      '410': { description: 'Disables the webhook' },
      default: { description: 'Tried again later' },
    },
  };
}
