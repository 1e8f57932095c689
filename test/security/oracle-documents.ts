import type { Asked } from './oracle-site.ts';

type Use = (doctype: string, name: string) => Asked;

const path = encodeURIComponent;
const call =
  (method: string, args: (doctype: string, name: string) => object): Use =>
  (doctype, name) => ({ verb: 'POST', path: `/api/method/${method}`, body: args(doctype, name) });
const named = (method: string, more: object = {}): readonly Use[] => [
  call(method, (doctype, name) => ({ doctype, name, ...more })),
];
const docnamed = (method: string, more: object = {}): readonly Use[] => [
  call(method, (doctype, docname) => ({ doctype, docname, ...more })),
];
const inDoc = (method: string, more: object = {}): readonly Use[] => [
  call(method, (doctype, name) => ({ doc: { doctype, name, ...more } })),
];
const mark = (method: string): readonly Use[] => [call(method, (dt, dn) => ({ dt, dn, tag: 'red' }))];
const run: readonly Use[] = [
  call('run_doc_method', (dt, dn) => ({ dt, dn, method: 'submit' })),
  call('run_doc_method', (doctype, name) => ({ docs: { doctype, name }, method: 'nonsuch' })),
];
const file: readonly Use[] = [
  call('frappe.client.attach_file', (doctype, docname) => ({
    doctype,
    docname,
    filename: 'a.txt',
    filedata: 'a',
  })),
];

/** What names a document, by method: how it is asked about one. A method that is in neither list fails the test. */
export const METHOD_USES: Readonly<Record<string, readonly Use[]>> = {
  'frappe.client.get': [
    ...named('frappe.client.get'),
    call('frappe.client.get', (doctype, name) => ({ doctype, filters: { name } })),
  ],
  'frappe.client.get_list': [
    call('frappe.client.get_list', (doctype, name) => ({ doctype, filters: { name } })),
    call('frappe.client.get_list', (doctype, name) => ({
      doctype,
      filters: [['name', 'in', [name, 'p-north']]],
    })),
  ],
  'frappe.client.get_count': [
    call('frappe.client.get_count', (doctype, name) => ({ doctype, filters: { name } })),
  ],
  'frappe.client.get_value': [
    call('frappe.client.get_value', (doctype, filters) => ({ doctype, filters, fieldname: 'name' })),
    call('frappe.client.get_value', (doctype, filters) => ({ doctype, filters, fieldname: 'owner' })),
  ],
  'frappe.client.save': inDoc('frappe.client.save', { title: 'x' }),
  'frappe.client.set_value': named('frappe.client.set_value', { fieldname: 'title', value: 'x' }),
  'frappe.client.submit': inDoc('frappe.client.submit'),
  'frappe.client.cancel': named('frappe.client.cancel'),
  'frappe.client.delete': named('frappe.client.delete'),
  'frappe.client.rename_doc': [
    call('frappe.client.rename_doc', (doctype, old_name) => ({ doctype, old_name, new_name: 'renamed' })),
    call('frappe.client.rename_doc', (doctype, new_name) => ({
      doctype,
      old_name: 'p-north',
      new_name,
      merge: 1,
    })),
  ],
  'frappe.client.bulk_update': [
    call('frappe.client.bulk_update', (doctype, docname) => ({ docs: [{ doctype, docname, title: 'x' }] })),
  ],
  bulk_update: [call('bulk_update', (doctype, name) => ({ docs: [{ doctype, name, title: 'x' }] }))],
  bulk_delete: [call('bulk_delete', (doctype, name) => ({ docs: [{ doctype, name }] }))],
  'frappe.client.has_permission': [
    ...docnamed('frappe.client.has_permission'),
    ...docnamed('frappe.client.has_permission', { perm_type: 'write' }),
  ],
  'frappe.client.get_doc_permissions': docnamed('frappe.client.get_doc_permissions'),
  'frappe.client.get_password': named('frappe.client.get_password', { fieldname: 'pin' }),
  'frappe.client.validate_link': docnamed('frappe.client.validate_link'),
  'frappe.client.is_document_amended': docnamed('frappe.client.is_document_amended'),
  'frappe.client.attach_file': file,
  'chancery.file_link': [call('chancery.file_link', (_doctype, name) => ({ name }))],
  'frappe.core.api.file.create_new_folder': [
    call('frappe.core.api.file.create_new_folder', (_doctype, folder) => ({ folder, file_name: 'x' })),
  ],
  'frappe.core.api.file.move_file': [
    call('frappe.core.api.file.move_file', (_doctype, name) => ({ file_list: [name], new_parent: 'Home' })),
    call('frappe.core.api.file.move_file', (_doctype, new_parent) => ({ file_list: ['Home'], new_parent })),
  ],
  'chancery.rename_folder': [call('chancery.rename_folder', (_doctype, name) => ({ name, file_name: 'x' }))],
  'frappe.core.api.file.get_files_in_folder': [
    call('frappe.core.api.file.get_files_in_folder', (_doctype, folder) => ({ folder })),
  ],
  'frappe.core.api.file.get_files_by_search_text': [
    call('frappe.core.api.file.get_files_by_search_text', (_doctype, text) => ({ text })),
  ],
  'frappe.core.api.file.get_attached_images': [
    call('frappe.core.api.file.get_attached_images', (doctype, name) => ({ doctype, names: [name] })),
  ],
  'frappe.core.api.file.unzip_file': [
    call('frappe.core.api.file.unzip_file', (_doctype, name) => ({ name })),
  ],
  'frappe.desk.form.load.getdoc': named('frappe.desk.form.load.getdoc'),
  'frappe.desk.form.linked_with.get': docnamed('frappe.desk.form.linked_with.get'),
  'frappe.desk.form.utils.add_comment': [
    call('frappe.desk.form.utils.add_comment', (reference_doctype, reference_name) => ({
      reference_doctype,
      reference_name,
      content: 'x',
    })),
  ],
  'frappe.desk.form.assign_to.add': named('frappe.desk.form.assign_to.add', {
    assign_to: ['ann@example.com'],
  }),
  'frappe.desk.form.assign_to.remove': named('frappe.desk.form.assign_to.remove', {
    assign_to: 'ann@example.com',
  }),
  'frappe.desk.doctype.tag.tag.add_tag': mark('frappe.desk.doctype.tag.tag.add_tag'),
  'frappe.desk.doctype.tag.tag.remove_tag': mark('frappe.desk.doctype.tag.tag.remove_tag'),
  'frappe.desk.like.toggle_like': named('frappe.desk.like.toggle_like', { add: 'Yes' }),
  'frappe.desk.search.search_link': [
    call('frappe.desk.search.search_link', (doctype, txt) => ({ doctype, txt })),
    call('frappe.desk.search.search_link', (doctype, name) => ({ doctype, txt: '', filters: { name } })),
  ],
  'frappe.desk.search.search_widget': [
    call('frappe.desk.search.search_widget', (doctype, txt) => ({ doctype, txt })),
  ],
  'frappe.share.add': named('frappe.share.add', { user: 'ann@example.com' }),
  'frappe.share.set_permission': named('frappe.share.set_permission', {
    user: 'ann@example.com',
    permission_to: 'write',
  }),
  'frappe.share.remove': named('frappe.share.remove', { user: 'ann@example.com' }),
  'frappe.share.get_users': named('frappe.share.get_users'),
  'chancery.amend_document': named('chancery.amend_document'),
  'chancery.linked_documents': named('chancery.linked_documents'),
  'chancery.explain_permission': [
    ...named('chancery.explain_permission'),
    ...named('chancery.explain_permission', { right: 'write' }),
  ],
  run_doc_method: run,
  'frappe.handler.run_doc_method': run,
};

/** Methods that name no document, or are for administrators alone, or name what is not one. */
export const NO_DOCUMENT: ReadonlySet<string> = new Set([
  ...['ping', 'frappe.ping', 'login', 'logout', 'frappe.auth.get_logged_user', 'frappe.client.get_time_zone'],
  // They make documents, with the names and links that the test of links tries.
  ...['frappe.client.insert', 'frappe.client.insert_many'],
  // Of a doctype alone.
  ...['frappe.client.get_single_value', 'frappe.desk.form.load.getdoctype'],
  // Of signing in, of one's own keys and sessions, and of those who manage them.
  ...['sessions', 'end_session', 'end_other_sessions', 'second_factor', 'enable_second_factor'].map(
    (name) => `chancery.auth.${name}`,
  ),
  ...[
    'confirm_second_factor',
    'new_recovery_codes',
    'disable_second_factor',
    'reset_second_factor',
    'grants',
    'end_grant',
  ].map((name) => `chancery.auth.${name}`),
  ...['chancery.ui.boot', 'chancery.auth.login_with_key'],
  'chancery.file.uploads',
  // A Version by its name: test/http/history-restore-version.test.ts tries those of hidden documents.
  'chancery.restore_version',
  'frappe.core.api.file.get_max_file_size',
  ...['update_password', 'reset_password'].map((name) => `frappe.core.doctype.user.user.${name}`),
  ...['chancery.api_key.create', 'chancery.api_key.rotate', 'chancery.oauth.regenerate_secret'],
  // For System Managers.
  ...[
    'frappe.core.doctype.user.user.generate_keys',
    'chancery.restore_document',
    'frappe.core.doctype.deleted_document.deleted_document.restore',
    'chancery.webhook.regenerate_secret',
    'chancery.webhook.switch_secret',
    ...[
      'resend',
      'resend_many',
      'recover',
      'cancel',
      'cancel_many',
      'test',
      'preview',
      'body',
      'pull',
      'stats',
      'overview',
    ].map((name) => `chancery.webhook.${name}`),
    'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current',
  ],
]);

const at =
  (verb: string, prefix: string, suffix = '', body?: (name: string) => unknown): Use =>
  (doctype, name) => ({
    verb,
    path: `${prefix}${path(doctype)}/${path(name)}${suffix}`,
    ...(body ? { body: body(name) } : {}),
  });
const title = () => ({ title: 'x' });
const list =
  (prefix: string, suffix: string, query: (name: string) => string): Use =>
  (doctype, name) => ({ verb: 'GET', path: `${prefix}${path(doctype)}${suffix}?${query(name)}` });
const filtered = (name: string) => `filters=${path(JSON.stringify({ name }))}`;
const upload: Use = (doctype, docname) => {
  const body = new FormData();
  body.set('doctype', doctype);
  body.set('docname', docname);
  body.set('file', new Blob(['x']), 'a.txt');
  return { verb: 'POST', path: '/api/method/upload_file', body };
};
const attached: Use = (doctype, name) => {
  const body = new FormData();
  body.set('file', new Blob(['x']), 'a.txt');
  return { verb: 'POST', path: `/api/v2/document/${path(doctype)}/${path(name)}/attachments`, body };
};

const zipped = (version: string): readonly Use[] => [
  (_doctype, name) => ({
    verb: 'POST',
    path: `/api/${version}frappe.core.api.file.zip_files`,
    body: { files: [name] },
  }),
];
const resumable: Use = (doctype, docname) => ({
  verb: 'POST',
  path: '/api/files/tus',
  headers: {
    'tus-resumable': '1.0.0',
    'upload-length': '5',
    'upload-metadata': Object.entries({ filename: 'a.txt', doctype, docname })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(','),
  },
});

/** The same by route. */
export const ROUTE_USES: Readonly<Record<string, readonly Use[]>> = {
  '/api/resource/:doctype': [
    list('/api/resource/', '', filtered),
    list('/api/resource/', '', (name) => `${filtered(name)}&include=count`),
    list('/api/resource/', '', (name) => `fields=["count(name)"]&${filtered(name)}`),
  ],
  '/api/resource/:doctype/*': [
    at('GET', '/api/resource/'),
    at('HEAD', '/api/resource/'),
    at('GET', '/api/resource/', '?run_method=nonsuch'),
    at('PUT', '/api/resource/', '', title),
    at('PUT', '/api/resource/', '', (name) => ({ modified: '2026-01-01 00:00:00', name })),
    at('POST', '/api/resource/', '', () => ({ run_method: 'submit' })),
    at('DELETE', '/api/resource/'),
  ],
  '/api/v2/document/:doctype': [list('/api/v2/document/', '', filtered)],
  '/api/v2/document/:doctype/*': [
    at('GET', '/api/v2/document/'),
    at('GET', '/api/v2/document/', '/copy'),
    at('GET', '/api/v2/document/', '?include=comments,versions'),
    at('GET', '/api/v2/document/', '/method/nonsuch'),
    at('POST', '/api/v2/document/', '/method/submit', () => ({})),
    at('PUT', '/api/v2/document/', '', title),
    at('PATCH', '/api/v2/document/', '', title),
    at('DELETE', '/api/v2/document/'),
    (doctype, name) => ({
      verb: 'POST',
      path: `/api/v2/document/${path(doctype)}/bulk_delete`,
      body: { names: [name] },
    }),
    (doctype, name) => ({
      verb: 'POST',
      path: `/api/v2/document/${path(doctype)}/bulk_update`,
      body: { docs: [{ name, title: 'x' }] },
    }),
  ],
  '/api/v2/document/:doctype/:name/attachments': [attached],
  '/api/v2/doctype/:doctype/count': [list('/api/v2/doctype/', '/count', filtered)],
  '/api/v2/doctype/:doctype/search': [list('/api/v2/doctype/', '/search', (name) => `txt=${path(name)}`)],
  '/api/method/upload_file': [upload],
  '/api/method/frappe.core.api.file.zip_files': zipped('method/'),
  '/api/v2/method/frappe.core.api.file.zip_files': zipped('v2/method/'),
  '/api/files/tus': [resumable],
  '/api/v2/method/upload_file': [(...of) => ({ ...upload(...of), path: '/api/v2/method/upload_file' })],
};

/** Routes that name no document by themselves: methods, metadata, addresses of files, and what is about the server. */
export const NO_DOCUMENT_ROUTES: ReadonlySet<string> = new Set([
  ...['/', '/health', '/ready', '/metrics', '/docs', '/docs/:asset', '/api/openapi.json'],
  ...['/app', '/app/*', '/desk', '/desk/*'],
  ...['/api/method/:method', '/api/method/:method/*', '/api/v2/method/:method'],
  ...['/api/v2/doctype/:doctype/meta'],
  // Signing in: what they say of users is tried with the sign-in.
  ...['/login', '/update-password', '/api/auth/:provider/start', '/api/auth/:provider/callback'],
  '/.well-known/oauth-authorization-server',
  ...['authorize', 'approve', 'get_token', 'revoke_token', 'introspect_token', 'openid_profile'].map(
    (name) => `/api/method/frappe.integrations.oauth2.${name}`,
  ),
  // Tried with addresses of their own.
  ...['/files/*', '/private/files/*', '/api/method/download_file', '/api/v2/method/download_file'],
  // Named by the server, and everybody's own.
  '/api/files/tus/:upload',
  // It says nothing of names: what is followed may be made later.
  '/api/events',
]);
