import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { object } from '../../operation/result.ts';
import { type AddressOf, alsoAt, defineAddress } from '../address/address.ts';
import { schemaName } from '../address/doctype-schemas.ts';
import { BYTES, errors, header, jsonBody, jsonReply, queryParameter, ref } from '../address/operation.ts';
import type { ApiScope } from '../address/scope.ts';
import { TUS_EXTENSIONS } from './tus-protocol.ts';

const flag = (description: string): JsonSchema => ({ enum: ['0', '1'], description });

const UPLOADED = {
  type: 'object',
  properties: {
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
    doctype: { type: 'string', description: 'With docname: the document to attach the file to.' },
    docname: { type: 'string' },
    fieldname: { type: 'string', description: 'An attach field of that document.' },
    is_private: flag('1: only users who may read the File or its document may download it.'),
    folder: { type: 'string', default: 'Home' },
    file_url: { type: 'string', description: 'Instead of file: a link, or the URL of a stored file.' },
    library_file_name: { type: 'string', description: 'Instead of file: the name of a File.' },
    content: {
      type: 'string',
      description: 'Instead of file, in JSON: the content as text, or as base64 with decode.',
    },
    decode: flag('1: content is base64.'),
    file_name: { type: 'string', description: 'The name of the file if the part `file` has none.' },
    optimize: flag('1: reduce the size of an image.'),
    max_width: { type: 'string', description: 'Largest width of the reduced image, in pixels.' },
    max_height: { type: 'string' },
    method: { type: 'string', description: "An app's method that handles the upload instead." },
  },
};

function uploadAddress(
  path: string,
  id: string,
  summary: string,
  variables: Readonly<Record<string, string>> = {},
  properties: Readonly<Record<string, JsonSchema>> = {},
): AddressOf<'POST'> {
  const schema = { ...UPLOADED, properties: { ...UPLOADED.properties, ...properties } };
  const multipart = { schema, encoding: { file: { contentType: '*/*' } } };
  const key = path.startsWith('/api/v2/') ? 'data' : 'message';
  const POST = {
    id,
    summary,
    body: { required: true, content: { 'multipart/form-data': multipart } },
    replies: (scope: ApiScope) => ({
      '200': jsonReply('The File document', object({ [key]: fileSchema(scope) })),
      ...errors(401, 403, 413, 417),
    }),
  };
  return defineAddress(path, 'permission', 'upload', { tag: 'Files', variables, verbs: { POST } });
}

function fileSchema({ doctypes }: ApiScope): JsonSchema {
  const file = doctypes.find(({ doctype }) => doctype.name === 'File');
  return file ? ref('schemas', schemaName.document(file.typeName)) : { type: 'object' };
}

const UPLOAD_SUMMARY = 'Upload a file, and attach it to a document';

/** Uploads. */
export const UPLOAD = uploadAddress('/api/method/upload_file', 'uploadFile', UPLOAD_SUMMARY);
export const UPLOAD_ALIAS = uploadAddress(
  '/api/method/uploadfile',
  'uploadFileAlias',
  UPLOAD_SUMMARY,
  {},
  {
    filedata: { type: 'string', description: 'Instead of file, in JSON or a form: the content as base64.' },
    filename: { type: 'string', description: 'The name of that file.' },
    docfield: { type: 'string', description: 'The same as fieldname.' },
  },
);
export const UPLOAD_V2 = uploadAddress('/api/v2/method/upload_file', 'uploadFileV2', UPLOAD_SUMMARY);

/** Uploads to the document in the path. */
export const ATTACH = uploadAddress(
  '/api/v2/document/:doctype/:name/attachments',
  'attachV2',
  'Attach a file to a document',
  { doctype: 'A doctype', name: 'Name of the document; a slash in it is encoded' },
);

const PIXELS = { type: 'integer', minimum: 1 };
const DOWNLOAD_PARAMETERS: readonly JsonSchema[] = [
  ...['Range', 'If-Range', 'If-None-Match', 'If-Match'].map((name) => header(name)),
  queryParameter(
    'w',
    'For an image: returns a thumbnail at least this wide, in pixels, if the image is.',
    PIXELS,
  ),
  queryParameter('h', 'The same for the height.', PIXELS),
  queryParameter('fit', '`contain`: the whole image fits into the box. `cover`: the image fills the box.', {
    enum: ['contain', 'cover'],
  }),
];
const LINK = queryParameter(
  'link',
  'A link from `chancery.file_link`, which opens the file without credentials.',
);
const FILE = { tag: 'Files', variables: { file: 'The last part of the `file_url` of the File' } };
const FILE_REPLIES = {
  ...BYTES,
  '206': { description: 'The bytes of the range', content: { '*/*': {} } },
  '302': {
    description: 'The bytes are at `Location`, a URL of the object store (setting `downloads.presign`)',
  },
  '304': ref('responses', 'NotModified'),
  ...errors(403, 404, 412, 416, 417),
};

/** The bytes of a public file. */
export const PUBLIC_FILE = defineAddress('/files/*', 'guest', 'read', {
  ...FILE,
  verbs: {
    GET: {
      id: 'downloadPublicFile',
      summary: 'Download a public file',
      parameters: DOWNLOAD_PARAMETERS,
      replies: FILE_REPLIES,
    },
  },
});

/**
 * The bytes of a private file. Guest gets the same answer as any user without permission, so the address
 * requires nothing itself.
 */
export const PRIVATE_FILE = defineAddress('/private/files/*', 'permission', 'read', {
  ...FILE,
  shownTo: () => true,
  verbs: {
    GET: {
      id: 'downloadPrivateFile',
      summary: 'Download a private file',
      parameters: [LINK, ...DOWNLOAD_PARAMETERS],
      replies: FILE_REPLIES,
    },
  },
});

/** The bytes of any file. */
export const DOWNLOAD = defineAddress('/api/method/download_file', 'guest', 'read', {
  tag: 'Service',
  verbs: {
    GET: {
      id: 'downloadFile',
      summary: 'Download a file by its URL',
      parameters: [{ ...queryParameter('file_url'), required: true }],
      replies: { ...BYTES, ...errors() },
    },
  },
});
export const DOWNLOAD_V2 = alsoAt(DOWNLOAD, '/api/v2/method/download_file');

const FILE_NAMES = { type: 'array', items: { type: 'string' }, maxItems: LIMITS.argumentValues };
const ZIP_CALL = {
  summary: 'Download several files and folders as one zip',
  replies: {
    '200': {
      description: 'A zip of the files, and of the files in the folders, that the caller may read',
      content: { 'application/zip': {} },
    },
    ...errors(403, 404, 417, 503),
  },
};

/** Several files as one download. */
export const ZIP = defineAddress('/api/method/frappe.core.api.file.zip_files', 'user', 'read', {
  tag: 'Files',
  verbs: {
    GET: {
      id: 'zipFiles',
      ...ZIP_CALL,
      parameters: [
        {
          name: 'files',
          in: 'query',
          required: true,
          description: 'A JSON list of names of File documents',
          content: { 'application/json': { schema: FILE_NAMES } },
        },
      ],
    },
    POST: { id: 'zipManyFiles', ...ZIP_CALL, body: jsonBody(object({ files: FILE_NAMES })) },
  },
});
export const ZIP_V2 = alsoAt(ZIP, '/api/v2/method/frappe.core.api.file.zip_files');

const TUS_VERSION = {
  name: 'Tus-Resumable',
  in: 'header',
  required: true,
  schema: { const: '1.0.0' },
};
const CHECKSUM = header(
  'Upload-Checksum',
  'An algorithm, and the checksum of the bytes of this request in Base64',
);
const PIECE = {
  content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const told = (description: string, ...names: readonly string[]) => ({
  description,
  headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
});

// Another address of the same method.
const RESUMABLE = { tag: 'Files', calls: 'upload_file' };

/** Begins a resumable upload. */
export const TUS = defineAddress('/api/files/tus', 'user', 'upload', {
  ...RESUMABLE,
  verbs: {
    POST: {
      id: 'beginUpload',
      summary: 'Begin an upload that can resume after an interruption',
      description: `The tus protocol, version 1.0.0, with ${TUS_EXTENSIONS.join(', ')}.`,
      parameters: [
        TUS_VERSION,
        header('Upload-Length', 'Size of the whole file, in bytes', true),
        header(
          'Upload-Metadata',
          'Keys with values in Base64: filename, and fields of upload_file: doctype, docname, fieldname, folder, is_private, optimize, max_width, max_height',
          true,
        ),
        CHECKSUM,
      ],
      body: { required: false, ...PIECE },
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
  ...RESUMABLE,
  variables: { upload: 'The last part of the Location of the upload' },
  verbs: {
    HEAD: {
      id: 'askUpload',
      summary: 'Read how many bytes of an upload have arrived, and the File once it is complete',
      parameters: [TUS_VERSION],
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
        TUS_VERSION,
        header('Upload-Offset', 'The number of bytes that have arrived before', true),
        CHECKSUM,
      ],
      body: { required: true, ...PIECE },
      replies: {
        '204': told('The bytes are stored', 'Upload-Offset', 'Upload-Expires', 'Upload-Document'),
        ...errors(400, 401, 403, 404, 409, 412, 413, 415, 417, 460, 507),
      },
    },
    DELETE: {
      id: 'endUpload',
      summary: 'Cancel an upload; a File that it has created stays',
      parameters: [TUS_VERSION],
      replies: { '204': { description: 'The upload is deleted' }, ...errors(401, 403, 404, 412) },
    },
  },
});
