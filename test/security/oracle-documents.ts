import type { Address } from '../../src/http/address/address.ts';
import * as admin from '../../src/http/admin/addresses.ts';
import * as docs from '../../src/http/docs/addresses.ts';
import { verbsOn } from '../../src/http/documents/addresses.ts';
import { DOCUMENT_ROUTES, PATHS, type Part, type Version } from '../../src/http/documents/document-routes.ts';
import {
  EXPORT,
  EXPORT_V2,
  IMPORT_REPORT,
  IMPORT_REPORT_V2,
} from '../../src/http/documents/export-addresses.ts';
import {
  ATTACH,
  DOWNLOAD,
  DOWNLOAD_V2,
  PRIVATE_FILE,
  PUBLIC_FILE,
  TUS,
  TUS_UPLOAD,
  UPLOAD,
  UPLOAD_ALIAS,
  UPLOAD_V2,
  ZIP,
  ZIP_V2,
} from '../../src/http/files/addresses.ts';
import { COMMAND, METHOD, METHOD_AND_MORE, METHOD_V2, SEARCH_V2 } from '../../src/http/methods/addresses.ts';
import * as oauth from '../../src/http/oauth/addresses.ts';
import { PRINT_VIEW } from '../../src/http/print/addresses.ts';
import * as service from '../../src/http/service/addresses.ts';
import * as signIn from '../../src/http/sign-in/addresses.ts';
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
const follow = (verb: string, more: object = {}): readonly Use[] => [
  call(`frappe.desk.form.document_follow.${verb}`, (doctype, doc_name) => ({ doctype, doc_name, ...more })),
];
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
  'frappe.www.printview.get_html_and_style': [
    call('frappe.www.printview.get_html_and_style', (doc, name) => ({ doc, name })),
  ],
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
  'frappe.desk.form.assign_to.get': named('frappe.desk.form.assign_to.get'),
  'frappe.desk.form.assign_to.close': named('frappe.desk.form.assign_to.close', {
    assign_to: 'ann@example.com',
  }),
  'chancery.view_document': named('chancery.view_document'),
  'chancery.leave_document': named('chancery.leave_document'),
  'frappe.desk.search.get_names_for_mentions': named('frappe.desk.search.get_names_for_mentions'),
  'frappe.desk.form.document_follow.follow_document': follow('follow_document'),
  'frappe.desk.form.document_follow.unfollow_document': follow('unfollow_document'),
  'frappe.desk.form.document_follow.update_follow': follow('update_follow', { following: 1 }),
  'frappe.desk.doctype.notification_log.notification_log.mark_as_read': [
    call('frappe.desk.doctype.notification_log.notification_log.mark_as_read', (_, docname) => ({ docname })),
  ],
  'frappe.desk.form.assign_to.add_multiple': [
    call('frappe.desk.form.assign_to.add_multiple', (doctype, name) => ({
      doctype,
      name: [name],
      assign_to: ['ann@example.com'],
    })),
  ],
  'frappe.desk.form.assign_to.remove_multiple': [
    call('frappe.desk.form.assign_to.remove_multiple', (doctype, name) => ({ doctype, names: [name] })),
  ],
  'frappe.desk.doctype.tag.tag.add_tags': [
    call('frappe.desk.doctype.tag.tag.add_tags', (dt, dn) => ({ dt, docs: [dn], tags: ['red'] })),
  ],
  'frappe.desk.doctype.tag.tag.get_tags': [
    call('frappe.desk.doctype.tag.tag.get_tags', (doctype, txt) => ({ doctype, txt })),
  ],
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
  'frappe.utils.global_search.search': [
    call('frappe.utils.global_search.search', (doctype, text) => ({ doctype, text })),
    call('frappe.utils.global_search.search', (_doctype, text) => ({ text })),
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
  'frappe.desk.doctype.notification_log.notification_log.get_notification_logs',
  'frappe.desk.doctype.notification_log.notification_log.mark_all_as_read',
  'chancery.load_doctypes',
  ...['read_design', 'plan_design', 'save_design'].map((name) => `chancery.${name}`),
  ...['inspect', 'start'].map((name) => `chancery.import.${name}`),
  ...['start', 'run', 'check', 'pause', 'undo', 'problems', 'records'].map((name) => `chancery.load.${name}`),
  ...[
    ...['health', 'jobs', 'run_job', 'errors', 'settings', 'slow_queries', 'index_builds'],
    ...['plan_index', 'create_index'],
  ].map((name) => `chancery.system.${name}`),
  ...['get', 'save'].map((name) => `chancery.permissions.${name}`),
  ...[
    ...['get_roles_and_doctypes', 'get_permissions', 'get_standard_permissions', 'get_users_with_role'],
    ...['add', 'update', 'remove', 'reset'],
  ].map((name) => `frappe.core.page.permission_manager.permission_manager.${name}`),
  ...['ping', 'frappe.ping', 'login', 'logout', 'frappe.auth.get_logged_user', 'frappe.client.get_time_zone'],
  // They make documents, with the names and links that the test of links tries.
  ...['frappe.client.insert', 'frappe.client.insert_many'],
  // Of a doctype alone.
  ...['frappe.client.get_single_value', 'frappe.desk.form.load.getdoctype'],
  // Of signing in, of one's own keys and sessions, and of those who manage them.
  ...[
    ...['sessions', 'end_session', 'end_other_sessions', 'second_factor', 'enable_second_factor'],
    ...['confirm_second_factor', 'new_recovery_codes', 'disable_second_factor', 'reset_second_factor'],
    ...['grants', 'end_grant'],
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

const bodies: Readonly<Partial<Record<Part, (name: string) => unknown>>> = {
  document: () => ({ title: 'x' }),
  method: () => ({}),
  bulk_update: (name) => ({ docs: [{ name, title: 'x' }] }),
  bulk_delete: (name) => ({ names: [name] }),
};

/** A request by a declared address of documents; one without the name in its path has it in a filter. */
function byAddress(version: Version, part: Part, verb: string, query = ''): Use {
  const shown = PATHS[version][part] ?? '';
  const reads = verb === 'GET' || verb === 'HEAD';
  return (doctype, name) => {
    const known: Readonly<Record<string, string>> = {
      doctype,
      name,
      method: verb === 'POST' ? 'submit' : 'nonsuch',
    };
    const address = shown.replace(/\{(\w+)\}/g, (_, variable) => path(known[variable] ?? ''));
    const search = [reads && !shown.includes('{name}') && `filters=${path(JSON.stringify({ name }))}`, query]
      .filter(Boolean)
      .join('&');
    const body = reads || verb === 'DELETE' ? undefined : bodies[part]?.(name);
    return {
      verb,
      path: search === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${search}`,
      ...(body !== undefined && { body }),
    };
  };
}

/** Every verb of every declared address of documents, but for those that name only a doctype. */
function documentUses(): Record<string, Use[]> {
  const uses: Record<string, Use[]> = {};
  for (const { version, parts, path: route } of DOCUMENT_ROUTES) {
    const namesDocument = parts
      .flatMap((part) => verbsOn(version, part).map((verb) => ({ part, verb })))
      .filter(({ part, verb }) => part !== 'meta' && !(part === 'collection' && verb === 'POST'));
    uses[route] = namesDocument.flatMap(({ part, verb }) =>
      (verb === 'GET' ? ['GET', 'HEAD'] : [verb]).map((each) => byAddress(version, part, each)),
    );
  }
  return uses;
}

const upload: Use = (doctype, docname) => {
  const body = new FormData();
  body.set('doctype', doctype);
  body.set('docname', docname);
  body.set('file', new Blob(['x']), 'a.txt');
  return { verb: 'POST', path: UPLOAD.path, body };
};
const attached: Use = (doctype, name) => {
  const body = new FormData();
  body.set('file', new Blob(['x']), 'a.txt');
  const to = ATTACH.path.replace(':doctype', path(doctype)).replace(':name', path(name));
  return { verb: 'POST', path: to, body };
};

const zipped = (address: Address): readonly Use[] => [
  (_doctype, name) => ({ verb: 'POST', path: address.path, body: { files: [name] } }),
];
const resumable: Use = (doctype, docname) => ({
  verb: 'POST',
  path: TUS.path,
  headers: {
    'tus-resumable': '1.0.0',
    'upload-length': '5',
    'upload-metadata': Object.entries({ filename: 'a.txt', doctype, docname })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(','),
  },
});

const more = (version: Version, part: Part, verb: string, ...queries: readonly string[]): readonly Use[] =>
  queries.map((query) => byAddress(version, part, verb, query));

const asked = (address: Address, query: (doctype: string, name: string) => string): readonly Use[] => [
  (doctype, name) => ({ verb: 'GET', path: `${address.path}?${query(path(doctype), path(name))}` }),
];
const exported = (address: Address) =>
  asked(address, (doctype, name) => `doctype=${doctype}&format=json&filters=[["name","=","${name}"]]`);

/** The same by the path of an address. */
export const ROUTE_USES: Readonly<Record<string, readonly Use[]>> = {
  ...documentUses(),
  'further parameters': [
    ...more('v1', 'collection', 'GET', 'include=count', 'fields=["count(name)"]'),
    ...more('v2', 'document', 'GET', 'include=comments,versions'),
    (doctype, name) => ({
      ...byAddress('v1', 'document', 'PUT')(doctype, name),
      body: { modified: '2026-01-01 00:00:00', name },
    }),
    (doctype, name) => ({
      ...byAddress('v1', 'document', 'POST')(doctype, name),
      body: { run_method: 'submit' },
    }),
  ],
  [ATTACH.path]: [attached],
  [PRINT_VIEW.path]: asked(PRINT_VIEW, (doctype, name) => `doctype=${doctype}&name=${name}`),
  [EXPORT.path]: exported(EXPORT),
  [EXPORT_V2.path]: exported(EXPORT_V2),
  [SEARCH_V2.path]: [
    (doctype, name) => ({
      verb: 'GET',
      path: `${SEARCH_V2.path.replace(':doctype', path(doctype))}?txt=${path(name)}`,
    }),
  ],
  [UPLOAD.path]: [upload],
  [UPLOAD_ALIAS.path]: [(...of) => ({ ...upload(...of), path: UPLOAD_ALIAS.path })],
  [UPLOAD_V2.path]: [(...of) => ({ ...upload(...of), path: UPLOAD_V2.path })],
  [ZIP.path]: zipped(ZIP),
  [ZIP_V2.path]: zipped(ZIP_V2),
  [TUS.path]: [resumable],
};

/** Addresses that name no document by themselves. */
export const NO_DOCUMENT_ADDRESSES: ReadonlySet<Address> = new Set([
  // What they say of users is tried with the sign-in.
  ...[admin, docs, oauth, service, signIn].flatMap((room) => Object.values<Address>(room)),
  // Methods are tried by their names.
  ...[COMMAND, METHOD, METHOD_AND_MORE, METHOD_V2],
  // Tried with addresses of their own.
  ...[DOWNLOAD, DOWNLOAD_V2, PRIVATE_FILE, PUBLIC_FILE],
  // Named by the server, and everybody's own.
  ...[TUS_UPLOAD, IMPORT_REPORT, IMPORT_REPORT_V2],
]);
