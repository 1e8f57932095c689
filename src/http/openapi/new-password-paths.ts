import type { DescribeRoute } from './operation.ts';
import { errors, NO_CREDENTIALS } from './operation.ts';

const PAGE = { '200': { description: 'A page', content: { 'text/html': {} } } };
const text = { type: 'string' };

/** The page behind the link in a password mail. */
export const newPasswordPaths: DescribeRoute = () => ({
  '/update-password': {
    get: {
      operationId: 'newPasswordPage',
      summary: 'Where the link of a mail leads: a page to set a new password on, which works without scripts',
      tags: ['Methods'],
      parameters: [{ name: 'key', in: 'query', schema: text }],
      responses: { ...PAGE, ...errors() },
      ...NO_CREDENTIALS,
    },
    post: {
      operationId: 'newPasswordByPage',
      summary: 'The form of that page',
      tags: ['Methods'],
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { key: text, new_password: text } },
          },
        },
      },
      responses: { ...PAGE, ...errors(401, 417) },
      ...NO_CREDENTIALS,
    },
  },
});
