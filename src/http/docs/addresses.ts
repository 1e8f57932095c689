import { defineAddress, openAddress } from '../address.ts';
import { BYTES, errors, jsonReply, PAGE, ref } from '../openapi/operation.ts';

/** The OpenAPI document. */
export const OPENAPI = defineAddress('/api/openapi.json', 'guest', 'read', {
  tag: 'Service',
  verbs: {
    GET: {
      id: 'openApi',
      summary: 'The OpenAPI document',
      replies: {
        '200': jsonReply('An OpenAPI 3.1 document of what the caller may use', { type: 'object' }, ['ETag']),
        '304': ref('responses', 'NotModified'),
        ...errors(),
      },
    },
  },
});

/** The API reference, made from that document: its page, scripts and styles. */
export const DOCS = openAddress('/docs', 'docs', 'The reference as a page', PAGE);
export const DOCS_ASSET = openAddress('/docs/:asset', 'docsAsset', 'A part of that page', BYTES, {
  asset: 'Name of the part',
});
