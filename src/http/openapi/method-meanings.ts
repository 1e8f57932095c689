/** What a method does, and its arguments by name: a `!` behind it means required. */
export interface MethodMeaning {
  readonly summary: string;
  readonly args: Readonly<Record<string, 'text' | 'whole' | 'flag' | 'json'>>;
}

const LIST = {
  'doctype!': 'text',
  fields: 'json',
  filters: 'json',
  or_filters: 'json',
  order_by: 'text',
  limit_start: 'whole',
  limit_page_length: 'whole',
} as const;
const NAMED = { 'doctype!': 'text', 'name!': 'text' } as const;

/** Our own methods in words. One without an entry shows with arguments of any name. */
export const METHOD_MEANINGS: Readonly<Record<string, MethodMeaning>> = {
  ping: { summary: 'Answer pong', args: {} },
  'frappe.ping': { summary: 'Answer pong', args: {} },
  'chancery.ui.boot': {
    summary: 'Who calls, which doctypes they may use, and what signing in takes',
    args: {},
  },
  login: {
    summary: 'Sign in and get cookies; with a second factor first `usr` and `pwd`, then `tmp_id` and `otp`',
    args: { usr: 'text', pwd: 'text', otp: 'text', tmp_id: 'text' },
  },
  'chancery.auth.login_with_key': {
    summary: 'Sign in with an unlimited API key and get cookies',
    args: { 'api_key!': 'text', 'api_secret!': 'text' },
  },
  'chancery.auth.sessions': { summary: 'Sessions of the caller, or of a user', args: { user: 'text' } },
  'chancery.auth.end_session': { summary: 'End one of them', args: { 'id!': 'text', user: 'text' } },
  'chancery.auth.end_other_sessions': {
    summary: 'End all of them but the one that asks',
    args: { user: 'text' },
  },
  'frappe.core.doctype.user.user.update_password': {
    summary: "A new password of the caller's, with the old one, or with the key of a mail",
    args: { 'new_password!': 'text', old_password: 'text', key: 'text' },
  },
  'frappe.core.doctype.user.user.reset_password': {
    summary: 'Mail a link for a new password',
    args: { 'user!': 'text' },
  },
  'chancery.auth.second_factor': { summary: 'Whether the caller has a second factor', args: {} },
  'chancery.auth.enable_second_factor': {
    summary: 'Begin to set up an authenticator app',
    args: { 'password!': 'text' },
  },
  'chancery.auth.confirm_second_factor': {
    summary: 'Finish with a code of the app; shows recovery codes once',
    args: { 'otp!': 'text' },
  },
  'chancery.auth.new_recovery_codes': {
    summary: 'New recovery codes in place of the former ones',
    args: { 'password!': 'text', 'otp!': 'text' },
  },
  'chancery.auth.disable_second_factor': {
    summary: 'Do without a second factor',
    args: { 'password!': 'text', 'otp!': 'text' },
  },
  'chancery.auth.reset_second_factor': {
    summary: 'Take the second factor from a user who lost it, for System Managers',
    args: { 'user!': 'text' },
  },
  logout: { summary: 'Sign out', args: {} },
  'frappe.auth.get_logged_user': { summary: 'The name of whoever calls', args: {} },
  'frappe.client.get_list': { summary: 'List documents', args: LIST },
  'frappe.client.get_count': {
    summary: 'Count documents',
    args: { 'doctype!': 'text', filters: 'json', or_filters: 'json' },
  },
  'frappe.client.get': {
    summary: 'A document by name, or the first that the filters find',
    args: { 'doctype!': 'text', name: 'text', filters: 'json' },
  },
  'frappe.client.get_value': {
    summary: 'Some fields of the first document that the filters find',
    args: { 'doctype!': 'text', fieldname: 'json', filters: 'json', as_dict: 'flag' },
  },
  'frappe.client.get_single_value': {
    summary: 'A field of a single',
    args: { 'doctype!': 'text', 'field!': 'text' },
  },
  'frappe.client.insert': { summary: 'Create a document', args: { 'doc!': 'json' } },
  'frappe.client.insert_many': { summary: 'Create documents, all or none', args: { 'docs!': 'json' } },
  'frappe.client.save': { summary: 'Create or change a document', args: { 'doc!': 'json' } },
  'frappe.client.set_value': {
    summary: 'Change fields of a document',
    args: { ...NAMED, 'fieldname!': 'json', value: 'json' },
  },
  'frappe.client.submit': { summary: 'Submit a document', args: { 'doc!': 'json' } },
  'frappe.client.cancel': { summary: 'Cancel a document', args: NAMED },
  'frappe.client.delete': { summary: 'Delete a document', args: NAMED },
  'frappe.client.rename_doc': {
    summary: 'Rename a document, or merge it into another',
    args: { 'doctype!': 'text', 'old_name!': 'text', 'new_name!': 'text', merge: 'flag' },
  },
  'frappe.core.doctype.user.user.generate_keys': {
    summary: 'A new secret of the API key that the User document names, shown once',
    args: { 'user!': 'text' },
  },
  'chancery.auth.grants': { summary: 'What the user lets other programs do', args: { user: 'text' } },
  'chancery.auth.end_grant': {
    summary: 'Take back what a program was allowed',
    args: { 'id!': 'text', user: 'text' },
  },
  'frappe.core.api.file.get_max_file_size': { summary: 'Bytes that one file may have', args: {} },
  'chancery.file.uploads': {
    summary: 'The uploads in parts that the caller has begun, and the File each has become',
    args: {},
  },
  'chancery.amend_document': {
    summary: 'The draft that amends a cancelled document',
    args: { ...NAMED, doc: 'json' },
  },
  'frappe.client.is_document_amended': {
    summary: 'Name of the amendment of a document',
    args: { 'doctype!': 'text', 'docname!': 'text' },
  },
  'chancery.linked_documents': { summary: 'What links to a document', args: NAMED },
  'frappe.desk.form.linked_with.get': {
    summary: 'What links to a document, as rows',
    args: { 'doctype!': 'text', 'docname!': 'text' },
  },
  bulk_delete: { summary: 'Delete documents, each for itself', args: { 'docs!': 'json' } },
  bulk_update: { summary: 'Change documents, each for itself', args: { 'docs!': 'json' } },
  'frappe.client.bulk_update': { summary: 'Change documents, each for itself', args: { 'docs!': 'json' } },
  'frappe.client.has_permission': {
    summary: 'Whether the caller has a right',
    args: { 'doctype!': 'text', docname: 'text', perm_type: 'text' },
  },
  'frappe.client.get_doc_permissions': {
    summary: 'Every right of the caller on a document',
    args: { 'doctype!': 'text', 'docname!': 'text' },
  },
  'frappe.client.get_password': {
    summary: 'A password in clear text, for System Managers',
    args: { 'doctype!': 'text', 'name!': 'text', 'fieldname!': 'text' },
  },
  'frappe.client.get_time_zone': { summary: 'The time zone of the site', args: {} },
  'frappe.client.validate_link': {
    summary: 'Name and fields of a document to link to',
    args: { 'doctype!': 'text', 'docname!': 'text', fields: 'json' },
  },
  'frappe.desk.search.search_link': {
    summary: 'Look for documents to link to',
    args: { 'doctype!': 'text', txt: 'text', filters: 'json', page_length: 'whole' },
  },
  'frappe.desk.form.load.getdoctype': {
    summary: 'A doctype and those of its tables',
    args: { 'doctype!': 'text' },
  },
  'frappe.desk.form.load.getdoc': { summary: 'A document and what belongs to it', args: NAMED },
  'frappe.desk.form.utils.add_comment': {
    summary: 'Comment on a document',
    args: { 'reference_doctype!': 'text', 'reference_name!': 'text', 'content!': 'text' },
  },
  run_doc_method: {
    summary: 'Run a method of a document',
    args: { 'dt!': 'text', 'dn!': 'text', 'method!': 'text', args: 'json' },
  },
  'chancery.file_link': {
    summary: 'A link that opens a private file without credentials, for a time',
    args: { 'name!': 'text', expires_in: 'whole' },
  },
  'frappe.core.api.file.create_new_folder': {
    summary: 'A folder for files; the one that is there when it is',
    args: { 'file_name!': 'text', folder: 'text' },
  },
  'frappe.core.api.file.move_file': {
    summary: 'Put files and folders into another folder',
    args: { 'file_list!': 'json', 'new_parent!': 'text', old_parent: 'text' },
  },
  'chancery.rename_folder': {
    summary: 'Give a folder another name where it is',
    args: { 'name!': 'text', 'file_name!': 'text' },
  },
  'frappe.core.api.file.get_files_in_folder': {
    summary: 'What is directly in a folder, with counts',
    args: { 'folder!': 'text', start: 'whole', page_length: 'whole' },
  },
  'frappe.core.api.file.get_files_by_search_text': {
    summary: 'Look for files by name',
    args: { 'text!': 'text', folder: 'text' },
  },
  'frappe.core.api.file.unzip_file': {
    summary: 'Replace a zip by the files in it',
    args: { 'name!': 'text', keep_folders: 'flag' },
  },
  'frappe.core.api.file.get_attached_images': {
    summary: 'Urls of the files attached to documents',
    args: { 'doctype!': 'text', 'names!': 'json' },
  },
  'frappe.client.attach_file': {
    summary: 'Attach a file that is sent as text',
    args: {
      'filename!': 'text',
      'filedata!': 'text',
      'doctype!': 'text',
      'docname!': 'text',
      decode_base64: 'flag',
    },
  },
};
