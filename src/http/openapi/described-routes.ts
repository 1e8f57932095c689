import { documentMethodPaths } from './document-method-paths.ts';
import { documentPaths } from './document-paths.ts';
import { eventPaths } from './event-paths.ts';
import { doorPaths, methodPaths, methodPathsV2, searchPath } from './method-paths.ts';
import { metricsPath } from './metrics-path.ts';
import { newPasswordPaths } from './new-password-paths.ts';
import { oauthPaths } from './oauth-paths.ts';
import { type DescribeRoute, envelope, jsonReply, pathParameter, ref } from './operation.ts';
import { attachmentPaths, filePaths, openPath, uploadPaths } from './service-paths.ts';
import { tusPaths } from './tus-paths.ts';
import { zipPaths } from './zip-paths.ts';

const status = (value: string) => ({ '200': jsonReply('It does', envelope({ status: { const: value } })) });
const page = (type: string) => ({ '200': { description: 'As it says', content: { [type]: {} } } });

const MOVED = { '302': { description: 'The admin UI is at `Location`' } };

/**
 * Every registered route with its OpenAPI description. A test compares it with the server's routes: add a new
 * route here, or to `SAME_ROUTES` when it is another address of a route in this table.
 */
export const DESCRIBED_ROUTES: Readonly<Record<string, DescribeRoute>> = {
  ...documentPaths,
  '/api/method/:method': methodPaths,
  '/api/method/upload_file': uploadPaths('/api/method/upload_file', 'message'),
  '/api/v2/method/upload_file': uploadPaths('/api/v2/method/upload_file', 'data'),
  '/api/v2/document/:doctype/:name/attachments': attachmentPaths,
  '/api/v2/method/:method': methodPathsV2,
  '/api/v2/document/:doctype/*': (scope) => ({
    ...documentPaths['/api/v2/document/:doctype/*']?.(scope),
    ...documentMethodPaths(scope),
  }),
  '/api/v2/doctype/:doctype/search': searchPath,
  '/api/events': eventPaths,
  '/files/*': filePaths('/files/{file}', true),
  '/private/files/*': filePaths('/private/files/{file}', false),
  '/api/method/download_file': openPath(
    '/api/method/download_file',
    'downloadFile',
    'The bytes of a file',
    page('*/*'),
    [{ name: 'file_url', in: 'query', required: true, schema: { type: 'string' } }],
  ),
  ...tusPaths,
  '/api/method/frappe.core.api.file.zip_files': zipPaths,
  '/health': openPath('/health', 'health', 'Whether the process is alive, and webhooks go out', {
    '200': jsonReply(
      'It is',
      envelope({ status: { enum: ['ok', 'degraded'] }, problems: { type: 'array' } }),
    ),
  }),
  '/metrics': metricsPath,
  '/ready': openPath(
    '/ready',
    'ready',
    'Whether the database answers and the server goes on',
    status('ready'),
  ),
  '/api/openapi.json': openPath('/api/openapi.json', 'openApi', 'This document', {
    '200': jsonReply('An OpenAPI 3.1 document of what the caller may use', { type: 'object' }, ['ETag']),
    '304': ref('responses', 'NotModified'),
  }),
  '/docs': openPath('/docs', 'docs', 'The reference as a page', page('text/html')),
  '/docs/:asset': openPath('/docs/{asset}', 'docsAsset', 'A part of that page', page('*/*'), [
    pathParameter('asset', 'Name of the part'),
  ]),
  '/app': openPath('/app', 'adminUi', 'The admin UI', page('text/html')),
  '/app/*': openPath('/app/{path}', 'adminUiPart', 'A page of the admin UI, or a part of it', page('*/*'), [
    pathParameter('path', 'Of the page, or of the part'),
  ]),
  '/desk': openPath('/desk', 'desk', 'Leads to the admin UI', MOVED),
  '/desk/*': openPath('/desk/{path}', 'deskPart', 'Leads to the same page of the admin UI', MOVED, [
    pathParameter('path', 'Of the page'),
  ]),
  ...oauthPaths,
  '/update-password': newPasswordPaths,
  '/': doorPaths,
};

/** Further addresses of other routes. */
export const SAME_ROUTES: Readonly<Record<string, string>> = {
  '/api/method/:method/*': '/api/method/:method',
  '/api/v2/method/download_file': '/api/method/download_file',
  '/api/v2/method/frappe.core.api.file.zip_files': '/api/method/frappe.core.api.file.zip_files',
};
