import { TUS_EXTENSIONS } from '../files/tus-store.ts';
import { type DescribeRoute, errors, pathParameter } from './operation.ts';

const header = (name: string, description: string, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

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
const BYTES = {
  content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const told = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]));

const begin: DescribeRoute = (scope) => {
  if (scope.user.isGuest) return {};
  const post = {
    operationId: 'beginUpload',
    summary: 'Begin an upload that can go on where it broke off',
    description: `The tus protocol, version 1.0.0, with ${TUS_EXTENSIONS.join(', ')}.`,
    tags: ['Files'],
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
    requestBody: { required: false, ...BYTES },
    responses: {
      '201': {
        description: 'It has begun, at Location',
        headers: told('Location', 'Upload-Offset', 'Upload-Expires', 'Upload-Document'),
      },
      ...errors(400, 401, 403, 412, 413, 417, 460, 507),
    },
  };
  return { '/api/files/tus': { post } };
};

const goOn: DescribeRoute = (scope) => {
  if (scope.user.isGuest) return {};
  const head = {
    operationId: 'askUpload',
    summary: 'How much of an upload has come, and the File that it has become',
    tags: ['Files'],
    parameters: [VERSION],
    responses: {
      '200': {
        description: 'It is known',
        headers: told('Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Document'),
      },
      ...errors(401, 403, 404, 412),
    },
  };
  const patch = {
    operationId: 'continueUpload',
    summary: 'Send more bytes of an upload; the last ones make the File document',
    tags: ['Files'],
    parameters: [VERSION, header('Upload-Offset', 'How many bytes have come before', true), CHECKSUM],
    requestBody: { required: true, ...BYTES },
    responses: {
      '204': {
        description: 'They are stored',
        headers: told('Upload-Offset', 'Upload-Expires', 'Upload-Document'),
      },
      ...errors(400, 401, 403, 404, 409, 412, 413, 415, 417, 460, 507),
    },
  };
  const remove = {
    operationId: 'endUpload',
    summary: 'Give an upload up; a File that it has become stays',
    tags: ['Files'],
    parameters: [VERSION],
    responses: { '204': { description: 'It is forgotten' }, ...errors(401, 403, 404, 412) },
  };
  const parameters = [pathParameter('upload', 'The last part of its Location')];
  return { '/api/files/tus/{upload}': { parameters, head, patch, delete: remove } };
};

/** Uploads by the tus protocol. */
export const tusPaths: Readonly<Record<string, DescribeRoute>> = {
  '/api/files/tus': begin,
  '/api/files/tus/:upload': goOn,
};
