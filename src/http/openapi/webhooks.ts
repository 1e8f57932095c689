import { allows } from '../../access/permission.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { schemaName } from '../address/doctype-schemas.ts';
import { header, jsonBody, type PathItem, ref } from '../address/operation.ts';
import type { ApiScope } from '../address/scope.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Identifies the delivery, the same in all attempts: ignore an id that you have processed.',
  'webhook-timestamp': 'Time of the attempt, in seconds since 1970.',
  'webhook-signature': '`v1,` and the signature of Standard Webhooks, once for each valid secret.',
  'webhook-attempt': 'Number of the attempt, from 1.',
  'webhook-sequence': 'Grows with each delivery of the webhook.',
  'webhook-event': '`<doctype>.<event>`',
  'webhook-chain':
    'The deliveries that led to this one, signed. Send this header with the requests that you make in response.',
  traceparent: 'W3C Trace Context.',
  'X-Service-Webhook-Signature': 'base64 of HMAC-SHA256 over the raw body, keyed with the secret.',
};

/** The webhook requests to receivers, for users who may create webhooks: one entry per doctype. */
export function webhookItems(scope: ApiScope): Iterable<readonly [name: string, item: PathItem]> {
  if (!allows(scope.user, scope.registry.get('Webhook'), 'create')) return [];
  return scope.doctypes
    .values()
    .filter(({ doctype, verbs }) => verbs.has('read') && doctype.rowsFrom === 'table' && !doctype.istable)
    .map(({ doctype, typeName }) => [doctype.name, { post: payload(doctype.name, typeName) }]);
}

function payload(doctypeName: string, typeName: string): JsonSchema {
  return {
    operationId: `webhook${typeName}`,
    summary: `A ${doctypeName} changed`,
    description:
      'The whole document with nulls, the chosen fields under their keys, or the rendered template of the webhook; with `__previous` ' +
      'if the webhook includes it, and with `truncated` in place of the fields if the payload would be too long.',
    tags: [doctypeName],
    parameters: Object.entries(HEADERS).map(([name, description]) => header(name, description, true)),
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
      default: { description: 'The delivery is retried later' },
    },
  };
}
