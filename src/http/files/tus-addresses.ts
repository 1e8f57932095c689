import { defineAddress } from '../address.ts';
import { errors, header } from '../openapi/operation.ts';
import { TUS_EXTENSIONS } from './tus-protocol.ts';

const VERSION = {
  name: 'Tus-Resumable',
  in: 'header',
  required: true,
  schema: { const: '1.0.0' },
};
const CHECKSUM = header(
  'Upload-Checksum',
  'An algorithm and the Base64 of the sum of the bytes of this request',
);
const BODY = {
  content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const told = (description: string, ...names: readonly string[]) => ({
  description,
  headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
});

// Another address of the same method.
const UPLOAD = { tag: 'Files', calls: 'upload_file' };

/** Begins a resumable upload. */
export const TUS = defineAddress('/api/files/tus', 'user', 'upload', {
  ...UPLOAD,
  verbs: {
    POST: {
      id: 'beginUpload',
      summary: 'Begin an upload that can go on where it broke off',
      description: `The tus protocol, version 1.0.0, with ${TUS_EXTENSIONS.join(', ')}.`,
      parameters: [
        VERSION,
        header('Upload-Length', 'Bytes of the whole file', true),
        header(
          'Upload-Metadata',
          'Keys with values in Base64: filename, and what upload_file takes: doctype, docname, fieldname, folder, is_private, optimize, max_width, max_height',
          true,
        ),
        CHECKSUM,
      ],
      body: { required: false, ...BODY },
      replies: {
        '201': told(
          'It has begun, at Location',
          'Location',
          'Upload-Offset',
          'Upload-Expires',
          'Upload-Document',
        ),
        ...errors(400, 401, 403, 412, 413, 417, 460, 507),
      },
    },
  },
});

/** Goes on with it. */
export const TUS_UPLOAD = defineAddress('/api/files/tus/:upload', 'user', 'read', {
  ...UPLOAD,
  variables: { upload: 'The last part of its Location' },
  verbs: {
    HEAD: {
      id: 'askUpload',
      summary: 'How much of an upload has come, and the File that it has become',
      parameters: [VERSION],
      replies: {
        '200': told('It is known', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Document'),
        ...errors(401, 403, 404, 412),
      },
    },
    PATCH: {
      id: 'continueUpload',
      summary: 'Send more bytes of an upload; the last ones make the File document',
      work: 'upload',
      parameters: [VERSION, header('Upload-Offset', 'How many bytes have come before', true), CHECKSUM],
      body: { required: true, ...BODY },
      replies: {
        '204': told('They are stored', 'Upload-Offset', 'Upload-Expires', 'Upload-Document'),
        ...errors(400, 401, 403, 404, 409, 412, 413, 415, 417, 460, 507),
      },
    },
    DELETE: {
      id: 'endUpload',
      summary: 'Give an upload up; a File that it has become stays',
      parameters: [VERSION],
      replies: { '204': { description: 'It is forgotten' }, ...errors(401, 403, 404, 412) },
    },
  },
});
