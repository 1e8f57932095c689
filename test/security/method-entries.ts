import type { Operation } from '../../src/operation/operation.ts';
import type { Entry } from './entries.ts';
import { ok } from './entries.ts';
import type { WalkSite } from './walk-site.ts';

const placed =
  (name: 'name' | 'docname', more: (walk: WalkSite) => Readonly<Record<string, unknown>> = () => ({})) =>
  async (walk: WalkSite) => ({ doctype: 'Note', [name]: await walk.note(), ...more(walk) });
const named = placed('name');
const docnamed = placed('docname');
const note = async () => ({ doctype: 'Note', title: 'T', __newname: `w-${Math.random()}` });
const noted = async (walk: WalkSite) => ({ doctype: 'Note', title: 'T', name: await walk.note() });
const bulk = async (walk: WalkSite, name: string) => ({
  docs: [{ doctype: 'Note', [name]: await walk.note(), title: 'Changed' }],
});

const ping: Entry = { exceptions: { anybody: ok('it says that the server is there') } };
const failsEach = (key: string) => ({
  status: [200, 403],
  because: 'each document of a bulk request is refused for itself, and said to have failed',
  holds: ({ status, body }: { status: number; body: { message?: Record<string, unknown> } }) =>
    status === 403 || JSON.stringify(body.message?.[key] ?? '').includes('PermissionError'),
});
const foundNothing = ok('the method answers with what the caller may read, here nothing');
const bulkFails = (key: string) => ({ nobody: failsEach(key), elsewhere: failsEach(key) });
const runMethod: Entry = {
  args: async (walk) => ({ dt: 'Note', dn: await walk.note(), method: 'stamp' }),
  exceptions: { 'read-only': { status: [403, 405], because: 'this one answers POST alone' } },
};
const restore: Entry = {
  async args(walk) {
    const name = await walk.note();
    await walk.site.request('DELETE', `/api/resource/Note/${name}`);
    const path = `/api/resource/Deleted%20Document?filters=${JSON.stringify([['deleted_name', '=', name]])}`;
    return { name: (await walk.site.request('GET', path)).body.data[0].name };
  },
};
const tag: Entry = { args: async (walk) => ({ dt: 'Note', dn: await walk.note(), tag: 'red' }) };
const MANAGER = 'manager@example.com';
const shared: Entry = { args: placed('name', () => ({ user: MANAGER })) };
const NOTIFICATIONS = 'frappe.desk.doctype.notification_log.notification_log';
const followed = async (walk: WalkSite) => ({ doctype: 'Note', doc_name: await walk.note() });
const ownNotifications = ok('it is about their own notifications, here none');
const folder = async (walk: WalkSite): Promise<string> =>
  (await walk.make('File', { file_name: `f-${Math.random()}`, is_folder: 1 })).name;
const oneWebhook = async (walk: WalkSite) => {
  const hook = { webhook_doctype: 'Note', webhook_docevent: 'on_update', request_url: 'http://127.0.0.1:9/' };
  return { webhook: (await walk.make('Webhook', hook)).name };
};
const oneDelivery = async (walk: WalkSite) => {
  const { webhook } = await oneWebhook(walk);
  await walk.site.request('PUT', `/api/resource/Note/${await walk.note()}`, { body: { title: 'Changed' } });
  const path = `/api/resource/Webhook%20Request%20Log?filters=${JSON.stringify({ webhook })}`;
  return { name: (await walk.site.request('GET', path)).body.data[0].name };
};
const itsDeliveries = async (walk: WalkSite) => ({ filters: await oneWebhook(walk), preview: 1 });
const tried = async (walk: WalkSite) => ({ ...(await oneWebhook(walk)), document: await walk.note() });
const withoutKept = ok('it shows what they may read', ({ text }) => !text.includes('kept'));
const MANAGER_OF_PERMISSIONS = 'frappe.core.page.permission_manager.permission_manager';
const safeRow = async () => ({ doctype: 'Safe', role: 'System Manager' });
const ownAccount: Entry = {
  apart:
    'test/http/second-factor.test.ts: it is about the account of whoever calls, and asks for the password',
};

/**
 * How methods are called rightly, and who is answered otherwise than refused, as far as their declarations do
 * not say so. A method that guests may call is added here on purpose, or the walk fails.
 */
export const METHOD_ENTRIES: Readonly<Record<string, Entry>> = {
  ping,
  'frappe.ping': ping,
  'frappe.core.api.file.get_max_file_size': { exceptions: { anybody: ok('pages ask before they upload') } },
  'chancery.ui.boot': {
    exceptions: {
      anybody: ok('it shows each caller what that caller may use', ({ text }) => !text.includes('Secret')),
    },
  },
  login: {
    apart: 'test/http/auth.test.ts: it takes guests, and a password',
    exceptions: { anybody: ok('it asks for the password') },
  },
  logout: {
    apart: 'test/http/auth.test.ts: it takes guests, and ends what they had',
    exceptions: { anybody: ok('it ends what they had') },
  },
  'chancery.auth.login_with_key': {
    apart: 'test/http/key-login.test.ts: it takes guests, and a key with its secret',
    exceptions: { anybody: ok('it asks for the secret') },
  },
  'chancery.auth.sessions': {
    args: async () => ({ user: MANAGER }),
    exceptions: { elsewhere: ok('they are its own user’s') },
  },
  'chancery.auth.end_session': {
    async args(walk) {
      const path = `/api/method/chancery.auth.sessions?user=${MANAGER}`;
      return { user: MANAGER, id: (await walk.site.request('GET', path)).body.message[0].id };
    },
  },
  'chancery.auth.end_other_sessions': { args: async () => ({ user: MANAGER }) },
  'chancery.auth.end_grant': { apart: 'test/http/oauth.test.ts: it ends what whoever calls has allowed' },
  'frappe.core.doctype.user.user.update_password': {
    apart: 'test/http/sign-in.test.ts: it takes guests, and the old password',
    exceptions: { anybody: ok('it asks for the old password') },
  },
  'frappe.core.doctype.user.user.reset_password': {
    apart: 'test/http/password-reset.test.ts: it takes guests, and answers everybody alike',
    exceptions: { anybody: ok('it answers everybody alike') },
  },
  'chancery.auth.enable_second_factor': ownAccount,
  'chancery.auth.confirm_second_factor': ownAccount,
  'chancery.auth.new_recovery_codes': ownAccount,
  'chancery.auth.disable_second_factor': ownAccount,
  'chancery.api_key.rotate': {
    async args(walk) {
      const key = { body: { user: MANAGER } };
      const made = await walk.site.request('POST', '/api/method/chancery.api_key.create', key);
      return { api_key: made.body.message.api_key };
    },
  },
  'chancery.restore_version': {
    async args(walk) {
      const { name: docname } = await walk.make('Role Profile', { role_profile: `p-${Math.random()}` });
      const body = { roles: [{ role: 'System Manager' }] };
      await walk.site.request('PUT', `/api/resource/Role Profile/${docname}`, { body });
      const path = `/api/resource/Version?filters=${JSON.stringify({ docname })}`;
      return { name: (await walk.site.request('GET', path)).body.data[0].name };
    },
  },
  'chancery.oauth.regenerate_secret': {
    async args(walk) {
      const client = {
        app_name: `C${Math.random()}`,
        redirect_uris: 'https://c.example/',
        default_redirect_uri: 'https://c.example/',
        scopes: 'all',
      };
      return { client: (await walk.make('OAuth%20Client', client)).name };
    },
  },
  'frappe.client.get_value': { args: async () => ({ doctype: 'Note', fieldname: 'title' }) },
  'frappe.client.get_single_value': { args: async () => ({ doctype: 'System Settings', field: 'name' }) },
  'frappe.client.insert': { args: async () => ({ doc: await note() }) },
  'frappe.client.insert_many': { args: async () => ({ docs: [await note()] }) },
  'frappe.client.save': { args: async (walk) => ({ doc: await noted(walk) }) },
  'frappe.client.set_value': { args: placed('name', () => ({ fieldname: 'title', value: 'x' })) },
  'frappe.client.submit': { args: async (walk) => ({ doc: await noted(walk) }) },
  'frappe.client.cancel': {
    args: async (walk) => {
      const name = await walk.note();
      await walk.site.request('PUT', `/api/resource/Note/${name}`, { body: { docstatus: 1 } });
      return { doctype: 'Note', name };
    },
  },
  'frappe.client.rename_doc': {
    args: async (walk) => ({ doctype: 'Note', old_name: await walk.note(), new_name: `r-${Math.random()}` }),
  },
  'frappe.core.doctype.user.user.generate_keys': { args: async () => ({ user: 'nobody@example.com' }) },
  ...Object.fromEntries(
    ['start', 'run', 'check', 'pause', 'undo', 'problems', 'records'].map((name) => [
      `chancery.load.${name}`,
      { apart: 'test/load/server-loads.test.ts: it takes a load, which only its owner may see' },
    ]),
  ),
  'chancery.load_doctypes': { args: async () => ({ doctypes: [{ name: 'Loaded', fields: [] }] }) },
  'chancery.plan_design': { args: async () => ({ doctype: 'Planned', definition: { fields: [] } }) },
  'chancery.save_design': { args: async () => ({ doctype: 'Designed', definition: { fields: [] } }) },
  'chancery.system.run_job': { args: async () => ({ job: 'empty_quarantine' }) },
  'chancery.system.plan_index': { args: async () => ({ doctype: 'Note', fields: ['title', 'modified'] }) },
  'chancery.system.create_index': {
    apart: 'test/http/system.test.ts: it works once',
    args: async () => ({ doctype: 'Note', fields: ['title', 'modified'] }),
  },
  'chancery.amend_document': {
    args: async (walk) => {
      const name = await walk.note();
      for (const docstatus of [1, 2]) {
        await walk.site.request('PUT', `/api/resource/Note/${name}`, { body: { docstatus } });
      }
      return { doctype: 'Note', name };
    },
  },
  bulk_delete: { args: (walk) => bulk(walk, 'name'), exceptions: bulkFails('failed') },
  bulk_update: { args: (walk) => bulk(walk, 'name'), exceptions: bulkFails('failed') },
  'frappe.client.bulk_update': {
    args: (walk) => bulk(walk, 'docname'),
    exceptions: bulkFails('failed_docs'),
  },
  'frappe.www.printview.get_html_and_style': {
    args: async (walk) => ({ doc: 'Note', name: await walk.note() }),
    exceptions: { 'read-only': { status: [403], because: 'its role has no right to print' } },
  },
  'frappe.client.has_permission': {
    args: docnamed,
    exceptions: {
      users: ok('the answer is whether they may', ({ body }) => body.message.has_permission === false),
      'read-only': ok('it may read', ({ body }) => body.message.has_permission === true),
    },
  },
  'frappe.client.get_password': {
    args: async (walk) => ({
      doctype: 'Safe',
      name: (await walk.make('Safe', { pin: 'Secret title' })).name,
      fieldname: 'pin',
    }),
    exceptions: { 'read-only': { status: [403], because: 'no limited key reads passwords' } },
  },
  'frappe.client.get_time_zone': { exceptions: { anybody: ok('times are shown in it') } },
  run_doc_method: runMethod,
  'frappe.handler.run_doc_method': runMethod,
  'frappe.desk.form.utils.add_comment': {
    args: async (walk) => ({
      reference_doctype: 'Note',
      reference_name: await walk.note(),
      content: 'x',
      comment_email: 'Administrator',
      comment_by: 'Administrator',
    }),
  },
  'frappe.desk.search.search_link': { args: async () => ({ doctype: 'Note', txt: 'Secret' }) },
  'frappe.desk.search.search_widget': { args: async () => ({ doctype: 'Note', txt: 'Secret' }) },
  'frappe.utils.global_search.search': {
    args: async () => ({ text: 'Secret' }),
    exceptions: { nobody: foundNothing, elsewhere: foundNothing },
  },
  'frappe.client.attach_file': { args: placed('docname', () => ({ filename: 'a.txt', filedata: 'x' })) },
  'frappe.core.api.file.create_new_folder': {
    args: async () => ({ file_name: 'Attachments', folder: 'Home' }),
    exceptions: { nobody: ok('folders are for everybody, and this one is there') },
  },
  'frappe.core.api.file.move_file': {
    args: async (walk) => ({ file_list: [await folder(walk)], new_parent: 'Home/Attachments' }),
  },
  'chancery.rename_folder': {
    args: async (walk) => ({ name: await folder(walk), file_name: `g-${Math.random()}` }),
  },
  'frappe.core.api.file.get_files_in_folder': {
    args: async () => ({ folder: 'Home' }),
    exceptions: { nobody: withoutKept },
  },
  'frappe.core.api.file.get_files_by_search_text': {
    args: async (walk) => ({ text: (await walk.file()) && 'kept' }),
    exceptions: { nobody: withoutKept },
  },
  'frappe.core.api.file.unzip_file': {
    apart: 'test/http/files-unzip.test.ts: it takes the right to delete the zip',
  },
  'frappe.core.api.file.get_attached_images': {
    args: async (walk) => ({ doctype: 'Note', names: [await walk.note()] }),
    exceptions: { nobody: withoutKept },
  },
  'chancery.file_link': {
    async args(walk) {
      const filters = JSON.stringify({ file_url: await walk.file() });
      return {
        name: (await walk.site.request('GET', `/api/resource/File?filters=${filters}`)).body.data[0].name,
      };
    },
  },
  'chancery.restore_document': restore,
  'frappe.core.doctype.deleted_document.deleted_document.restore': restore,
  'frappe.desk.doctype.tag.tag.add_tag': tag,
  'frappe.desk.doctype.tag.tag.remove_tag': tag,
  'frappe.desk.like.toggle_like': { args: placed('name', () => ({ add: 'Yes' })) },
  'frappe.desk.form.assign_to.add': { args: placed('name', () => ({ assign_to: [MANAGER] })) },
  'frappe.desk.form.assign_to.remove': { args: placed('name', () => ({ assign_to: MANAGER })) },
  'frappe.desk.form.document_follow.follow_document': { args: followed },
  'frappe.desk.form.document_follow.unfollow_document': {
    args: followed,
    exceptions: { nobody: ok('they end only their own following, here none') },
  },
  'frappe.desk.form.document_follow.update_follow': {
    args: async (walk) => ({ ...(await followed(walk)), following: 1 }),
  },
  'chancery.view_document': { args: named },
  'chancery.leave_document': {
    args: named,
    exceptions: { nobody: ok('they end only their own view, here none'), elsewhere: ok('the same') },
  },
  'frappe.desk.search.get_names_for_mentions': { args: named },
  [`${NOTIFICATIONS}.get_notification_logs`]: { exceptions: { nobody: ownNotifications } },
  [`${NOTIFICATIONS}.mark_all_as_read`]: { exceptions: { nobody: ownNotifications } },
  [`${NOTIFICATIONS}.mark_as_read`]: {
    apart: 'test/http/notifications.test.ts: each of them is known to one user alone',
  },
  'frappe.desk.form.assign_to.get': { args: named },
  'frappe.desk.form.assign_to.close': {
    args: placed('name', () => ({ assign_to: 'Administrator' })),
  },
  'frappe.desk.form.assign_to.add_multiple': {
    args: async (walk) => ({ doctype: 'Note', name: [await walk.note()], assign_to: [MANAGER] }),
  },
  'frappe.desk.form.assign_to.remove_multiple': {
    args: async (walk) => ({ doctype: 'Note', names: [await walk.note()] }),
  },
  'frappe.desk.doctype.tag.tag.add_tags': {
    args: async (walk) => ({ dt: 'Note', docs: [await walk.note()], tags: ['red'] }),
  },
  'frappe.desk.doctype.tag.tag.get_tags': { args: async () => ({ doctype: 'Note', txt: 're' }) },
  'frappe.share.set_permission': {
    args: placed('name', () => ({ user: MANAGER, permission_to: 'read', value: 1 })),
  },
  'frappe.share.remove': shared,
  'chancery.explain_permission': {
    args: named,
    exceptions: {
      users: ok('about themselves everybody may ask', ({ body }) => body.message.allowed === false),
      'read-only': { status: [200, 403], because: 'an app’s method by POST may write' },
    },
  },
  'chancery.permissions.save': {
    args: async () => ({
      changes: [{ ...(await safeRow()), was: ['read', 'write', 'create'], rights: ['read', 'create'] }],
      dry_run: 1,
    }),
  },
  [`${MANAGER_OF_PERMISSIONS}.add`]: { args: async () => ({ parent: 'Safe', role: 'System Manager' }) },
  [`${MANAGER_OF_PERMISSIONS}.update`]: {
    args: async () => ({ ...(await safeRow()), ptype: 'create', value: 1, confirm: 1 }),
  },
  [`${MANAGER_OF_PERMISSIONS}.remove`]: {
    apart: 'test/http/permission-manager.test.ts: a doctype keeps at least one row',
  },
  [`${MANAGER_OF_PERMISSIONS}.get_users_with_role`]: { args: async () => ({ role: 'System Manager' }) },
  ...Object.fromEntries(
    ['inspect', 'start'].map((name) => [
      `chancery.import.${name}`,
      { apart: 'test/http/import.test.ts: an import belongs to one user and needs a file' },
    ]),
  ),
  'chancery.webhook.regenerate_secret': { args: oneWebhook },
  'chancery.webhook.switch_secret': { args: oneWebhook },
  'chancery.webhook.resend': { args: oneDelivery },
  'chancery.webhook.resend_many': { args: itsDeliveries },
  'chancery.webhook.recover': {
    args: async (walk) => ({ ...(await oneWebhook(walk)), since: '2026-01-01 00:00:00' }),
  },
  'chancery.webhook.cancel': { args: oneDelivery },
  'chancery.webhook.cancel_many': { args: itsDeliveries },
  'chancery.webhook.test': { args: tried },
  'chancery.webhook.preview': { args: tried },
  'chancery.webhook.body': { args: oneDelivery },
  'chancery.webhook.pull': { args: oneWebhook },
  'chancery.webhook.stats': { args: oneWebhook },
  'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current': {
    args: async (walk) => {
      const rule = { document_type: 'Note', prefix: `N${Math.random()}-`, prefix_digits: 5 };
      return { name: (await walk.make('Document Naming Rule', rule)).name, new_counter: 3 };
    },
  },
  'notes.echo': {
    exceptions: {
      anybody: ok('its app says allowGuest'),
      'read-only': { status: [200, 403], because: 'an app’s method by POST may write' },
    },
  },
  'notes.nothing': { exceptions: { users: ok('its app names no roles: everybody who is signed in') } },
  'notes.read': { args: async (walk) => ({ name: await walk.note() }) },
  'notes.add_two': { args: async () => ({ name: `two-${Math.random()}`, title: 'x' }) },
  'notes.broken': { apart: 'test/http/wire.test.ts: it always fails' },
  'walked.for_writers': {
    exceptions: { elsewhere: ok('the role is there, and the method touches no documents') },
  },
};

/** What the names of arguments stand for on the walk. */
const BY_NAME: Readonly<Record<string, (walk: WalkSite) => unknown>> = {
  doctype: () => 'Note',
  dt: () => 'Note',
  name: (walk) => walk.note(),
  docname: (walk) => walk.note(),
  dn: (walk) => walk.note(),
  user: () => MANAGER,
};

/** An operation that everybody may call who is signed in. */
const SIGNED_IN: Entry = { exceptions: { users: ok('everybody who is signed in may call it') } };

/**
 * The entry of an operation: what is written above, and for the rest what it declares. Null where neither is
 * enough.
 */
export function entryOf(operation: Operation<never>): Entry | null {
  const written = METHOD_ENTRIES[operation.name];
  if (written?.apart || written?.args) return written;
  if (operation.access === 'guest' && !written) return null;
  const isAboutOthers = operation.access === 'permission';
  const needed = Object.entries(operation.args === 'any' ? {} : operation.args)
    .filter(([name, { required }]) => required || name === 'name' || (name === 'user' && isAboutOthers))
    .map(([name]) => name);
  if (needed.some((name) => !BY_NAME[name])) return null;
  const args = async (walk: WalkSite) => {
    const values = needed.map(async (name) => [name, await BY_NAME[name]?.(walk)] as const);
    return Object.fromEntries(await Promise.all(values));
  };
  return { ...(operation.access === 'user' ? SIGNED_IN : {}), args, ...written };
}
