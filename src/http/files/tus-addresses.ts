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
  'An algorithm, and the checksum of the bytes of this request in Base64',
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
      summary: 'Begin an upload that can resume after an interruption',
      description: `The tus protocol, version 1.0.0, with ${TUS_EXTENSIONS.join(', ')}.`,
      parameters: [
        VERSION,
        header('Upload-Length', 'Size of the whole file, in bytes', true),
        header(
          'Upload-Metadata',
          'Keys with values in Base64: filename, and fields of upload_file: doctype, docname, fieldname, folder, is_private, optimize, max_width, max_height',
          true,
        ),
        CHECKSUM,
      ],
      body: { required: false, ...BODY },
      replies: {
        '201': told(
          'The upload has begun; its address is in Location',
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
  variables: { upload: 'The last part of the Location of the upload' },
  verbs: {
    HEAD: {
      id: 'askUpload',
      summary: 'Read how many bytes of an upload have arrived, and the File once it is complete',
      parameters: [VERSION],
      replies: {
        '200': told(
          'The upload exists',
          'Upload-Offset',
          'Upload-Length',
          'Upload-Metadata',
          'Upload-Document',
        ),
        ...errors(401, 403, 404, 412),
      },
    },
    PATCH: {
      id: 'continueUpload',
      summary: 'Send more bytes of an upload; the last ones create the File document',
      work: 'upload',
      parameters: [
        VERSION,
        header('Upload-Offset', 'The number of bytes that have arrived before', true),
        CHECKSUM,
      ],
      body: { required: true, ...BODY },
      replies: {
        '204': told('The bytes are stored', 'Upload-Offset', 'Upload-Expires', 'Upload-Document'),
        ...errors(400, 401, 403, 404, 409, 412, 413, 415, 417, 460, 507),
      },
    },
    DELETE: {
      id: 'endUpload',
      summary: 'Cancel an upload; a File that it has created stays',
      parameters: [VERSION],
      replies: { '204': { description: 'The upload is deleted' }, ...errors(401, 403, 404, 412) },
    },
  },
});
