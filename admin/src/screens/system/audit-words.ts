import { t, tn } from '../../base/i18n.ts';
import { type AuditEntry, detailsOf } from './audit-data.ts';
import { documentText, fieldText } from './audit-documents.ts';
import { jobWords } from './job-words.ts';

/** What happened, in words. */
export function auditText(entry: AuditEntry): string {
  const { event, reference_doctype: doctype, reference_name: name } = entry;
  const details = detailsOf(entry);
  const told = EVENTS[event]?.text;
  if (!told) return [event, doctype, name].filter(Boolean).join(' ');
  const document = documentText(entry, details);
  if (document !== null) return document;
  // A single has the name of its doctype.
  const what = {
    doctype: doctype && doctype !== name ? t(doctype) : '',
    name: name ?? '',
    ...textsOf(details),
  };
  return told(what).replaceAll('  ', ' ');
}

/** Names of all events, for the filter. */
export function eventChoices(): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(EVENTS)
    .map(([value, { label }]) => ({ value, label: label() }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
}

/** Where it came from: the key or the session. */
export function credentialText(credential: string): string {
  if (credential.startsWith('key ')) return t('API key {key}', { key: credential.slice(4) });
  if (credential.startsWith('grant ')) return t('OAuth grant {id}', { id: credential.slice(6) });
  return CREDENTIALS[credential]?.() ?? credential;
}

const CREDENTIALS: Readonly<Record<string, () => string>> = {
  session: () => t('Session'),
  password: () => t('Password'),
  bearer: () => t('Bearer token'),
  system: () => t('System'),
  'command line': () => t('Command line'),
};

interface What {
  readonly doctype: string;
  readonly name: string;
  readonly added: string;
  readonly removed: string;
  readonly fields: string;
  readonly change: string;
  readonly count: number;
  readonly from: string;
  readonly job: string;
}

const CHANGES: Readonly<Record<string, (what: What) => string>> = {
  created: (what) => t('Created {doctype} {name}', { ...what }),
  deleted: (what) => t('Deleted {doctype} {name}', { ...what }),
  renamed: (what) => t('Renamed {doctype} {from} to {name}', { ...what }),
};

function changeText(what: What): string {
  const told = CHANGES[what.change];
  if (told) return told(what);
  return what.fields === ''
    ? t('Changed {doctype} {name}', { ...what })
    : t('Changed {fields} of {doctype} {name}', { ...what });
}

function permissionText(what: What): string {
  if (what.added === '' && what.removed === '') return changeText(what);
  return t('Changed the permissions of {name}', { ...what });
}

function rolesText(what: What): string {
  if (what.removed === '') return t('Added {added} to the roles of {name}', { ...what });
  if (what.added === '') return t('Removed {removed} from the roles of {name}', { ...what });
  return t('Changed the roles of {name}: added {added}, removed {removed}', { ...what });
}

interface EventWords {
  readonly label: () => string;
  readonly text: (what: What) => string;
}

const plain = (label: () => string): EventWords => ({ label, text: label });

const EVENTS: Readonly<Record<string, EventWords>> = {
  login: plain(() => t('Signed in')),
  login_failed: plain(() => t('Tried to sign in')),
  logout: plain(() => t('Signed out')),
  session_revoked: plain(() => t('Ended sessions')),
  password_changed: {
    label: () => t('Password changed'),
    text: (what) => t('Changed the password of {name}', { ...what }),
  },
  password_reset_asked: plain(() => t('Asked for a password reset')),
  second_factor_enabled: plain(() => t('Turned on a second factor')),
  second_factor_disabled: plain(() => t('Turned off a second factor')),
  key_created: {
    label: () => t('API key created'),
    text: (what) => t('Created the API key {name}', { ...what }),
  },
  key_changed: {
    label: () => t('API key changed'),
    text: (what) => t('Changed the API key {name}', { ...what }),
  },
  key_rotated: {
    label: () => t('API key rotated'),
    text: (what) => t('Gave the API key {name} a new secret', { ...what }),
  },
  key_revoked: {
    label: () => t('API key revoked'),
    text: (what) => t('Revoked the API key {name}', { ...what }),
  },
  key_refused: {
    label: () => t('API key refused'),
    text: (what) => t('Refused the API key {name} from this address', { ...what }),
  },
  oauth_client_changed: { label: () => t('OAuth client changed'), text: changeText },
  oauth_authorized: {
    label: () => t('OAuth access granted'),
    text: (what) => t('Granted access to {name}', { ...what }),
  },
  oauth_revoked: {
    label: () => t('OAuth access revoked'),
    text: (what) => t('Revoked the access of {name}', { ...what }),
  },
  user_created: { label: () => t('User created'), text: (what) => t('Created the user {name}', { ...what }) },
  user_enabled: { label: () => t('User enabled'), text: (what) => t('Enabled the user {name}', { ...what }) },
  user_disabled: {
    label: () => t('User disabled'),
    text: (what) => t('Disabled the user {name}', { ...what }),
  },
  user_renamed: {
    label: () => t('User renamed'),
    text: (what) => t('Renamed the user {from} to {name}', { ...what }),
  },
  roles_changed: { label: () => t('Roles changed'), text: rolesText },
  permissions_changed: { label: () => t('Permissions changed'), text: permissionText },
  doctype_changed: { label: () => t('DocType changed'), text: changeText },
  document_deleted: {
    label: () => t('Document deleted'),
    text: (what) => t('Deleted {doctype} {name}', { ...what }),
  },
  document_restored: {
    label: () => t('Document restored'),
    text: (what) => t('Restored {doctype} {name}', { ...what }),
  },
  exported: { label: () => t('List exported'), text: (what) => t('Exported {doctype} records', { ...what }) },
  file_link_made: {
    label: () => t('File link created'),
    text: (what) => t('Created a link to the file {name}', { ...what }),
  },
  files_adopted: plain(() => t('Adopted the stored files')),
  load_started: plain(() => t('Started a load of documents')),
  load_undone: plain(() => t('Undid a load of documents')),
  site_restored: plain(() => t('Restored the site from a backup')),
  settings_changed: { label: () => t('Settings changed'), text: changeText },
  webhook_changed: { label: () => t('Webhook changed'), text: changeText },
  webhook_secret_changed: {
    label: () => t('Webhook secret changed'),
    text: (what) => t('Changed the secret of the webhook {name}', { ...what }),
  },
  deliveries_resent: {
    label: () => t('Deliveries resent'),
    text: ({ count }) => tn(count, 'Resent {count} delivery', 'Resent {count} deliveries'),
  },
  deliveries_cancelled: {
    label: () => t('Deliveries cancelled'),
    text: ({ count }) => tn(count, 'Cancelled {count} delivery', 'Cancelled {count} deliveries'),
  },
  job_started: {
    label: () => t('Job started'),
    text: ({ job }) => t('Started the job “{job}”', { job: jobWords(job).label }),
  },
  secret_keys_rotated: plain(() => t('Rotated the secret keys')),
  patch_applied: {
    label: () => t('Patch applied'),
    text: (what) => t('Applied the patch {name}', { ...what }),
  },
  site_migrated: plain(() => t('Migrated the site')),
};

const FACTS: ReadonlySet<string> = new Set([
  'change',
  'added',
  'removed',
  'from',
  'count',
  'deliveries',
  'truncated',
]);

function textsOf(details: Readonly<Record<string, unknown>>): Omit<What, 'doctype' | 'name'> {
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '');
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const count = Number(details['count'] ?? details['deliveries'] ?? 1);
  const changed =
    details['change'] === 'changed' ? Object.keys(details).filter((key) => !FACTS.has(key)) : [];
  return {
    added: list(details['added']),
    removed: list(details['removed']),
    from: text(details['from']),
    job: text(details['job']),
    change: text(details['change']),
    count,
    fields: changed.slice(0, 4).map(fieldText).join(', ') + (changed.length > 4 ? ' …' : ''),
  };
}
