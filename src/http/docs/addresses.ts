import { defineAddress, openAddress } from '../address/address.ts';
import { BYTES, errors, jsonReply, PAGE, queryParameter, ref } from '../address/operation.ts';

/** The OpenAPI document. */
export const OPENAPI = defineAddress('/api/openapi.json', 'guest', 'read', {
  tag: 'Service',
  verbs: {
    GET: {
      id: 'openApi',
      summary: 'The OpenAPI document',
      parameters: [queryParameter('doctype', 'Describes only this doctype, with its child tables.')],
      replies: {
        '200': jsonReply(
          'An OpenAPI 3.1 document of everything that the caller may use',
          { type: 'object' },
          ['ETag'],
        ),
        '304': ref('responses', 'NotModified'),
        ...errors(403, 404),
      },
    },
  },
});

/** The API reference, made from that document: its page, scripts and styles. */
export const DOCS = openAddress('/docs', 'docs', 'The API reference, an HTML page', PAGE);
export const DOCS_ASSET = openAddress(
  '/docs/:asset',
  'docsAsset',
  'A file that the API reference loads',
  BYTES,
  {
    asset: 'Name of the file',
  },
);
