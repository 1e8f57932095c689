import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { schemaName } from './doctype-schemas.ts';
import {
  type DescribeRoute,
  envelope,
  errors,
  jsonReply,
  NO_CREDENTIALS,
  type PathItem,
  pathParameter,
  ref,
} from './operation.ts';
import type { ApiScope } from './scope.ts';

/** An upload, with a reply in the envelope of its version. */
export function uploadPaths(path: string, key: 'message' | 'data'): DescribeRoute {
  return (scope) => {
    if (scope.user.isGuest) return {};
    const post = {
      operationId: key === 'message' ? 'uploadFile' : 'uploadFileV2',
      summary: 'Upload a file, and attach it to a document',
      tags: ['Files'],
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: UPLOAD, encoding: { file: { contentType: '*/*' } } } },
      },
      responses: {
        '200': jsonReply('The File document', envelope({ [key]: fileSchema(scope) })),
        ...errors(401, 403, 413, 417),
      },
    };
    return { [path]: { post } };
  };
}

/** An upload to the document in the path. */
export const attachmentPaths: DescribeRoute = (scope) => {
  const path = '/api/v2/document/{doctype}/{name}/attachments';
  const item = uploadPaths(path, 'data')(scope)[path];
  if (!item) return {};
  const parameters = [
    pathParameter('doctype', 'A doctype'),
    pathParameter('name', 'Name of the document; a slash in it is encoded'),
  ];
  const post = {
    ...(item['post'] as object),
    operationId: 'attachV2',
    summary: 'Attach a file to a document',
  };
  return { [path]: { parameters, post } };
};

const flag = (description: string): JsonSchema => ({ enum: ['0', '1'], description });

const UPLOAD: JsonSchema = {
  type: 'object',
  properties: {
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
    doctype: { type: 'string', description: 'With docname: what to attach the file to.' },
    docname: { type: 'string' },
    fieldname: { type: 'string', description: 'An attach field of it.' },
    is_private: flag('1: for those alone who may read the File or what it is attached to.'),
    folder: { type: 'string', default: 'Home' },
    file_url: { type: 'string', description: 'Instead of file: a link, or the url of a stored file.' },
    library_file_name: { type: 'string', description: 'Instead of file: the name of a File.' },
    content: { type: 'string', description: 'Instead of file, in JSON: text, or base64 with decode.' },
    decode: flag('1: content is base64.'),
    file_name: { type: 'string', description: 'The name where no file brings one.' },
    optimize: flag('1: make an image smaller.'),
    max_width: { type: 'string', description: 'Pixels of an image that is made smaller.' },
    max_height: { type: 'string' },
    method: { type: 'string', description: "An app's method that takes the upload instead." },
  },
};

function fileSchema({ doctypes }: ApiScope): JsonSchema {
  const file = doctypes.find(({ doctype }) => doctype.name === 'File');
  return file ? ref('schemas', schemaName.document(file.typeName)) : { type: 'object' };
}

const LINK = {
  name: 'link',
  in: 'query',
  description: 'What `chancery.file_link` made: opens the file without credentials.',
  schema: { type: 'string' },
};

const THUMBNAIL = [
  ...[
    ['w', 'Of an image: a smaller one, at least so many pixels wide where the image is.'],
    ['h', 'The same for its height.'],
  ].map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'integer', minimum: 1 },
  })),
  {
    name: 'fit',
    in: 'query',
    description: 'The whole image within the box (`contain`), or the box full of it (`cover`).',
    schema: { enum: ['contain', 'cover'] },
  },
];

/** The bytes of a file, public or private. */
export function filePaths(path: string, isPublic: boolean): DescribeRoute {
  return () => ({
    [path]: {
      parameters: [pathParameter('file', 'The rest of the `file_url` of the File')],
      get: {
        operationId: isPublic ? 'downloadPublicFile' : 'downloadPrivateFile',
        summary: isPublic ? 'Download a public file' : 'Download a private file',
        tags: ['Files'],
        parameters: [
          ...['Range', 'If-Range', 'If-None-Match', 'If-Match'].map((name) => ({
            name,
            in: 'header',
            schema: { type: 'string' },
          })),
          ...(isPublic ? [] : [LINK]),
          ...THUMBNAIL,
        ],
        responses: {
          '200': { description: 'The bytes', content: { '*/*': {} } },
          '206': { description: 'The bytes of the range', content: { '*/*': {} } },
          '302': {
            description:
              'The bytes are at `Location`, a url of the object store (setting `downloads.presign`)',
          },
          '304': ref('responses', 'NotModified'),
          ...errors(403, 404, 412, 416, 417),
        },
        ...(isPublic ? NO_CREDENTIALS : {}),
      },
    },
  });
}

/** A request about the service itself, open to everybody. */
export function openPath(
  path: string,
  operationId: string,
  summary: string,
  replies: Readonly<Record<string, JsonSchema>>,
  parameters: readonly JsonSchema[] = [],
): DescribeRoute {
  const item: PathItem = {
    get: {
      operationId,
      summary,
      tags: ['Service'],
      ...(parameters.length === 0 ? {} : { parameters }),
      responses: { ...replies, ...errors() },
      ...NO_CREDENTIALS,
    },
  };
  return () => ({ [path]: item });
}
