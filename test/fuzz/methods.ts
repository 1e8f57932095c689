import fc from 'fast-check';
import type { DocType } from '../../src/doctype/doctype.ts';
import { documentBody } from './documents.ts';
import { fieldPath, listParameters } from './queries.ts';
import { hostileText, junk, mostly, type Value } from './values.ts';
import { NAMES, type World } from './world.ts';

type Arguments = Readonly<Record<string, Value>>;
type ArgumentsOf = (world: World, doctype: DocType | undefined) => Arguments;

const flag: Value = mostly(fc.constantFrom<unknown>(0, 1, true, false, '1', 'True'));
const text: Value = mostly(fc.constantFrom('a', 'b', 'hello'), hostileText);
const user: Value = mostly(
  fc.constantFrom('staff@example.com', 'nobody@example.com', 'Guest', 'Administrator'),
);

const folder: Value = mostly(fc.constantFrom('Home', 'Home/a', 'Home/a/b', 'Home/Attachments'), hostileText);
export const fileNames = (world: World): Value =>
  mostly(fc.array(fc.oneof(folder, nameIn(world, world.doctype('File'))), { maxLength: 4 }));

const doctypeOf: ArgumentsOf = (_world, doctype) => ({
  doctype: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
});

function nameIn(world: World, doctype: DocType | undefined): Value {
  return mostly(fc.nat().map((pick) => world.nameOf(doctype?.name ?? 'Leaf', pick)));
}

/** A whole document with its doctype and usually a name. */
function whole(world: World, doctype: DocType | undefined): Value {
  return fc
    .tuple(documentBody(world, doctype), nameIn(world, doctype), fc.boolean())
    .map(([fields, name, isNamed]) => ({
      ...fields,
      doctype: doctype?.name ?? 'Nowhere',
      ...(isNamed ? { name, docname: name } : {}),
      parenttype: 'Order',
      parentfield: 'items',
    }));
}

const place: ArgumentsOf = (world, doctype) => ({
  ...doctypeOf(world, doctype),
  name: nameIn(world, doctype),
});
const docPlace: ArgumentsOf = (world, doctype) => ({
  ...doctypeOf(world, doctype),
  docname: nameIn(world, doctype),
});
const one: ArgumentsOf = (world, doctype) => ({ doc: mostly(whole(world, doctype)) });
const many: ArgumentsOf = (world, doctype) => ({
  docs: mostly(fc.array(mostly(whole(world, doctype)), { maxLength: 4 })),
});
const none: ArgumentsOf = () => ({});

const list: ArgumentsOf = (world, doctype) => ({
  ...doctypeOf(world, doctype),
  // One argument stands for all: they are spread over the others when the arguments are made.
  '...': listParameters(world, doctype),
});

const runMethod: ArgumentsOf = (world, doctype) => ({
  dt: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
  dn: nameIn(world, doctype),
  method: mostly(
    fc.constantFrom('submit', 'cancel', 'rename', 'add_comment', 'total', 'echo', 'whole', 'load'),
  ),
  args: mostly(
    fc.record({ name: mostly(fc.constantFrom(...NAMES)), text, merge: flag }, { requiredKeys: [] }),
  ),
  docs: mostly(whole(world, doctype)),
});

const assignment: ArgumentsOf = (world, doctype) => ({
  ...place(world, doctype),
  assign_to: mostly(fc.oneof(user, fc.array(user, { maxLength: 3 }), fc.constant('["staff@example.com"]'))),
  description: text,
});

const search: ArgumentsOf = (world, doctype) => ({
  ...doctypeOf(world, doctype),
  txt: text,
  filters: mostly(fc.constantFrom<unknown>({ name: 'A' }, [['name', '=', 'A']], '[]', '{}')),
  searchfield: mostly(fieldPath(world, doctype)),
  start: mostly(fc.constantFrom<unknown>(0, 1, '2')),
  page_length: mostly(fc.constantFrom<unknown>(5, '10', 0)),
});

const restore: ArgumentsOf = (world) => ({
  name: mostly(fc.nat().map((pick) => world.nameOf('Deleted Document', pick))),
});

const restoreVersion: ArgumentsOf = (world) => ({
  name: mostly(fc.nat().map((pick) => world.nameOf('Version', pick))),
  to: mostly(fc.constantFrom('before', 'after')),
  preview: flag,
});

const delivery: ArgumentsOf = (world) => ({
  name: mostly(fc.nat().map((pick) => world.nameOf('Webhook Request Log', pick))),
});

const deliveries: ArgumentsOf = () => ({
  filters: mostly(fc.oneof(junk, fc.constantFrom({ status: 'Exhausted' }, '[["attempt", ">", 0]]'))),
  preview: mostly(fc.boolean()),
});

const tried: ArgumentsOf = (world) => ({
  webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
  document: text,
});

const share: ArgumentsOf = (world, doctype) => ({
  ...place(world, doctype),
  user,
  read: flag,
  write: flag,
  share: flag,
  permission_to: mostly(fc.constantFrom('read', 'write', 'submit')),
  value: flag,
  everyone: flag,
});

/** What each method takes. `upload_file` and `download_file` have routes of their own. */
export const METHOD_ARGUMENTS: Readonly<Record<string, ArgumentsOf>> = {
  ping: none,
  'frappe.ping': none,
  'frappe.core.api.file.get_max_file_size': none,
  'chancery.ui.boot': none,
  login: () => ({
    usr: mostly(fc.constantFrom('Administrator', 'administrator', 'staff@example.com')),
    pwd: mostly(fc.constantFrom('admin-password', 'wrong', 'x'.repeat(600))),
  }),
  'chancery.api_key.create': () => ({
    user,
    label: text,
    read_only: flag,
    doctypes: junk,
    methods: text,
    allowed_ips: text,
  }),
  'chancery.api_key.rotate': () => ({ api_key: text, overlap_hours: junk }),
  'chancery.auth.login_with_key': () => ({ api_key: text, api_secret: mostly(fc.constant('wrong')) }),
  'chancery.auth.sessions': () => ({ user }),
  'chancery.auth.end_session': () => ({ id: mostly(fc.constant('0'.repeat(20))), user }),
  'chancery.auth.end_other_sessions': () => ({ user }),
  'frappe.core.doctype.user.user.update_password': () => ({
    new_password: mostly(fc.constantFrom('password', 'a lagoon of trombones')),
    old_password: mostly(fc.constant('wrong')),
    key: mostly(fc.constant('0'.repeat(64))),
  }),
  'frappe.core.doctype.user.user.reset_password': () => ({ user }),
  'chancery.auth.second_factor': none,
  'chancery.auth.enable_second_factor': () => ({ password: mostly(fc.constant('wrong')) }),
  'chancery.auth.confirm_second_factor': () => ({ otp: mostly(fc.constant('000000')) }),
  'chancery.auth.new_recovery_codes': () => ({ password: mostly(fc.constant('wrong')), otp: junk }),
  'chancery.auth.disable_second_factor': () => ({ password: mostly(fc.constant('wrong')), otp: junk }),
  'chancery.auth.reset_second_factor': () => ({ user }),
  logout: none,
  'frappe.auth.get_logged_user': none,
  'frappe.client.get_list': list,
  'frappe.client.get_count': list,
  'frappe.client.get': (world, doctype) => ({ ...list(world, doctype), name: nameIn(world, doctype) }),
  'frappe.client.get_value': (world, doctype) => ({
    ...list(world, doctype),
    fieldname: mostly(fc.oneof(fieldPath(world, doctype), fc.array(fieldPath(world, doctype)))),
  }),
  'frappe.client.get_single_value': (world, doctype) => ({
    doctype: mostly(fc.constantFrom('Config', doctype?.name ?? 'Config')),
    field: mostly(fieldPath(world, world.doctype('Config'))),
  }),
  'frappe.client.insert': one,
  'frappe.client.insert_many': many,
  'frappe.client.save': one,
  'frappe.client.set_value': (world, doctype) => ({
    ...place(world, doctype),
    fieldname: mostly(fc.oneof(fieldPath(world, doctype), documentBody(world, doctype))),
    value: junk,
  }),
  'frappe.client.submit': one,
  'frappe.client.cancel': place,
  'frappe.client.delete': place,
  'frappe.client.rename_doc': (world, doctype) => ({
    ...doctypeOf(world, doctype),
    old_name: nameIn(world, doctype),
    new_name: mostly(fc.constantFrom(...NAMES)),
    merge: flag,
  }),
  'frappe.core.doctype.user.user.generate_keys': () => ({ user }),
  'chancery.amend_document': (world, doctype) => ({
    ...place(world, doctype),
    doc: mostly(documentBody(world, doctype)),
  }),
  'frappe.client.is_document_amended': docPlace,
  'chancery.linked_documents': place,
  'frappe.desk.form.linked_with.get': docPlace,
  bulk_delete: many,
  bulk_update: many,
  'frappe.client.bulk_update': many,
  'frappe.client.has_permission': (world, doctype) => ({
    ...docPlace(world, doctype),
    perm_type: mostly(fc.constantFrom('read', 'WRITE', 'share')),
  }),
  'frappe.client.get_doc_permissions': docPlace,
  'frappe.client.get_time_zone': none,
  'frappe.desk.form.load.getdoctype': doctypeOf,
  'frappe.desk.form.load.getdoc': place,
  run_doc_method: runMethod,
  'frappe.handler.run_doc_method': runMethod,
  'frappe.desk.form.utils.add_comment': (world, doctype) => ({
    reference_doctype: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
    reference_name: nameIn(world, doctype),
    content: text,
    comment_email: user,
    comment_by: text,
  }),
  'frappe.desk.search.search_link': search,
  'frappe.desk.search.search_widget': search,
  'frappe.client.validate_link': (world, doctype) => ({
    ...docPlace(world, doctype),
    fields: mostly(fc.array(fieldPath(world, doctype), { maxLength: 3 })),
  }),
  'frappe.client.attach_file': (world, doctype) => ({
    ...docPlace(world, doctype),
    filename: mostly(fc.constantFrom('a.txt', 'b.png')),
    filedata: mostly(fc.constantFrom('hello', 'aGVsbG8=', 'data:text/plain;base64,aGVsbG8=')),
    decode_base64: flag,
    is_private: flag,
    folder: mostly(fc.constantFrom('Home', 'Home/Attachments')),
    docfield: mostly(fieldPath(world, doctype)),
  }),
  'chancery.file_link': () => ({ name: text, expires_in: junk }),
  'frappe.core.api.file.create_new_folder': () => ({ file_name: text, folder }),
  'frappe.core.api.file.move_file': (world) => ({ file_list: fileNames(world), new_parent: folder }),
  'chancery.rename_folder': () => ({ name: folder, file_name: text }),
  'frappe.core.api.file.get_files_in_folder': () => ({ folder, start: junk, page_length: junk }),
  'frappe.core.api.file.get_files_by_search_text': () => ({ text, folder }),
  'frappe.core.api.file.unzip_file': (world) => ({
    name: nameIn(world, world.doctype('File')),
    keep_folders: flag,
  }),
  'frappe.core.api.file.get_attached_images': (world, doctype) => ({
    ...doctypeOf(world, doctype),
    names: mostly(fc.array(nameIn(world, doctype), { maxLength: 3 })),
  }),
  'chancery.restore_document': restore,
  'chancery.restore_version': restoreVersion,
  'frappe.core.doctype.deleted_document.deleted_document.restore': restore,
  'frappe.desk.doctype.tag.tag.add_tag': (world, doctype) => ({
    dt: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
    dn: nameIn(world, doctype),
    tag: text,
  }),
  'frappe.desk.doctype.tag.tag.remove_tag': (world, doctype) => ({
    dt: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
    dn: nameIn(world, doctype),
    tag: text,
  }),
  'frappe.desk.like.toggle_like': (world, doctype) => ({
    ...place(world, doctype),
    add: mostly(fc.constantFrom('Yes', 'No')),
  }),
  'frappe.desk.form.assign_to.add': assignment,
  'frappe.desk.form.assign_to.remove': assignment,
  'chancery.file.uploads': none,
  'chancery.auth.grants': () => ({ user }),
  'chancery.auth.end_grant': () => ({ id: text, user }),
  'chancery.oauth.regenerate_secret': (world) => ({
    client: mostly(fc.nat().map((pick) => world.nameOf('OAuth Client', pick))),
  }),
  'chancery.webhook.regenerate_secret': (world) => ({
    webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
    overlap_hours: mostly(fc.constantFrom<unknown>(0, 24, '24', -1)),
  }),
  'chancery.webhook.switch_secret': (world) => ({
    webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
    end_overlap: mostly(fc.boolean()),
  }),
  'chancery.webhook.resend': delivery,
  'chancery.webhook.cancel': delivery,
  'chancery.webhook.body': delivery,
  'chancery.webhook.resend_many': deliveries,
  'chancery.webhook.cancel_many': deliveries,
  'chancery.webhook.recover': (world) => ({
    webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
    since: mostly(fc.constantFrom('2026-01-01 00:00:00', 'yesterday')),
    until: junk,
    preview: mostly(fc.boolean()),
    after: junk,
  }),
  'chancery.webhook.test': tried,
  'chancery.webhook.preview': (world, doctype) => ({
    ...tried(world, doctype),
    changes: mostly(
      fc.record(
        {
          webhook_doctype: fc.constantFrom<unknown>('Note', 'Nowhere', 7),
          webhook_docevent: fc.constantFrom<unknown>('on_update', 'on_submit', 'x'),
          request_url: fc.constantFrom<unknown>('https://example.com/{{ doc.name }}', 'x', 1),
          condition: fc.constantFrom<unknown>('doc.title', '(((', 3),
          webhook_json: junk,
          webhook_headers: junk,
          timeout: junk,
        },
        { requiredKeys: [] },
      ),
    ),
  }),
  'chancery.webhook.pull': (world) => ({
    webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
    after: mostly(fc.constantFrom<unknown>('0', '7', '99999999999999', 'x')),
    limit: mostly(fc.constantFrom<unknown>(1, 500, '2', 501, -1)),
  }),
  'chancery.webhook.stats': (world) => ({
    webhook: mostly(fc.nat().map((pick) => world.nameOf('Webhook', pick))),
    hours: mostly(fc.constantFrom<unknown>(1, 720, '24', 0)),
    by: mostly(fc.constantFrom('minute', 'hour', 'day', 'year')),
    details: flag,
  }),
  'chancery.webhook.overview': () => ({
    hours: mostly(fc.constantFrom<unknown>(1, 168, '24', 0)),
  }),
  'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current': (world) => ({
    name: mostly(fc.nat().map((pick) => world.nameOf('Document Naming Rule', pick))),
    new_counter: mostly(fc.constantFrom<unknown>(0, 5, '7', -1)),
  }),
  'frappe.client.get_password': (world, doctype) => ({
    ...place(world, doctype),
    fieldname: mostly(fc.constantFrom('password', 'secret', 'new_password')),
  }),
  'chancery.explain_permission': (world, doctype) => ({
    ...place(world, doctype),
    user,
    right: mostly(fc.constantFrom('read', 'write', 'submit')),
  }),
  'frappe.share.add': share,
  'frappe.share.set_permission': share,
  'frappe.share.remove': share,
  'frappe.share.get_users': place,
  'fuzz.echo': () => ({ a: junk, b: junk }),
  'fuzz.nothing': none,
  'fuzz.write': () => ({ title: text }),
};

/** Arguments of a method as one object; some are left out now and then. */
export function argumentsOf(
  world: World,
  name: string,
  doctype: DocType | undefined,
): fc.Arbitrary<Record<string, unknown>> {
  const known = Object.hasOwn(METHOD_ARGUMENTS, name) ? METHOD_ARGUMENTS[name] : undefined;
  if (!known) return fc.dictionary(hostileText, junk, { maxKeys: 4 });
  const args = known(world, doctype);
  const keys = Object.keys(args);
  return fc
    .tuple(fc.record(args), fc.subarray(keys), fc.integer({ min: 0, max: 9 }))
    .map(([values, kept, chance]) => {
      const chosen = chance < 9 ? keys : kept;
      const { '...': spread, ...plain } = Object.fromEntries(chosen.map((key) => [key, values[key]]));
      return { ...(typeof spread === 'object' ? spread : {}), ...plain };
    });
}
