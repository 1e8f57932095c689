import { LIMITS } from '../../kernel/limits.ts';
import { type DescribeRoute, envelope, errors, jsonBody } from './operation.ts';

const PATH = '/api/method/frappe.core.api.file.zip_files';
const responses = {
  '200': {
    description: 'A zip of the files, and of those below the folders, that the caller may read',
    content: { 'application/zip': {} },
  },
  ...errors(403, 417),
};
const summary = 'Download several files and folders as one zip';

/** Several files as one download. */
export const zipPaths: DescribeRoute = ({ user }) => {
  if (user.isGuest) return {};
  const names = { type: 'array', items: { type: 'string' }, maxItems: LIMITS.argumentValues };
  const files = {
    name: 'files',
    in: 'query',
    required: true,
    description: 'Names of File documents, a JSON list',
    content: { 'application/json': { schema: names } },
  };
  return {
    [PATH]: {
      get: { operationId: 'zipFiles', summary, tags: ['Files'], parameters: [files], responses },
      post: {
        operationId: 'zipManyFiles',
        summary,
        tags: ['Files'],
        requestBody: jsonBody(envelope({ files: names })),
        responses,
      },
    },
  };
};
