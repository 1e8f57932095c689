/**
 * Doctypes of Frappe that an import leaves behind, with the reason. All other doctypes of a dump come, with the
 * doctypes of apps as documents that no code acts on.
 */
export function whyLeftBehind(doctype: string): string | null {
  return REASONS.get(doctype) ?? null;
}

const LOG = 'a log of the old server';
const QUEUE = 'work of the old server that was waiting';
const CATALOGUE = 'a catalogue that Frappe makes of its own code';
const OWN = 'this server has its own';
const SESSION = 'sessions and tokens end with the move';

const LISTS: readonly (readonly [reason: string, doctypes: readonly string[]])[] = [
  [
    LOG,
    [
      ...['Error Log', 'Error Snapshot', 'Scheduled Job Log', 'Access Log', 'Activity Log', 'Route History'],
      ...[
        'View Log',
        'Console Log',
        'Integration Request',
        'Webhook Request Log',
        'API Request Log',
        'Audit Trail',
      ],
      ...[
        'Data Import Log',
        'Permission Log',
        'Notification Log',
        'Changelog Feed',
        'Patch Log',
        'Logs To Clear',
      ],
      ...['SMS Log', 'Submission Queue', 'Recorder', 'Recorder Query', 'System Health Report'],
    ],
  ],
  [QUEUE, ['Email Queue', 'Email Queue Recipient', 'Prepared Report', 'RQ Job', 'RQ Worker', 'Bulk Update']],
  [
    CATALOGUE,
    [
      ...['Module Def', 'Package', 'Package Import', 'Package Release', 'Installed Application'],
      ...[
        'Installed Applications',
        'Scheduled Job Type',
        'Scheduler Event',
        'Page',
        'Block Module',
        'Domain',
      ],
      ...['Has Domain', 'Domain Settings', 'Language', 'Desktop Icon', 'Workspace', 'Workspace Link'],
      ...['Workspace Shortcut', 'Workspace Chart', 'Workspace Number Card', 'Workspace Quick List'],
      ...['Workspace Custom Block', 'Onboarding Step', 'Module Onboarding', 'Form Tour', 'Form Tour Step'],
      ...[
        'Web Template',
        'Web Template Field',
        'Website Theme',
        'Navbar Item',
        'Navbar Settings',
        'DocType Link',
      ],
      ...[
        'DocType Action',
        'DocType State',
        'DocType Layout',
        'DocType Layout Field',
        'Onboarding Permission',
      ],
      ...['Onboarding Step Map', 'Success Action', 'User Document Type', 'User Select Document Type'],
    ],
  ],
  [
    OWN,
    [
      ...[
        'System Settings',
        'Print Format',
        'Dashboard',
        'List View Settings',
        'List Filter',
        'DefaultValue',
      ],
      ...['Kanban Board', 'Kanban Board Column', 'Customize Form', 'Customize Form Field', 'User Type'],
      ...['Module Profile', 'Notification Settings', 'Notification Subscribed Document', 'Print Settings'],
      ...['Website Settings', 'Global Search Settings', 'Global Search DocType', 'Session Default'],
      ...['Session Default Settings', 'Google Settings', 'Push Notification Settings', 'S3 Backup Settings'],
    ],
  ],
  [
    SESSION,
    [
      ...['OAuth Bearer Token', 'OAuth Authorization Code', 'OAuth Client', 'OAuth Provider Settings'],
      ...['Social Login Key', 'User Social Login', 'Token Cache', 'Connected App', 'LDAP Settings'],
    ],
  ],
];

const REASONS: ReadonlyMap<string, string> = new Map(
  LISTS.flatMap(([reason, doctypes]) => doctypes.map((doctype) => [doctype, reason] as const)),
);

/** Built-in doctypes whose rows of a Frappe site come; the rows of other built-in ones stay behind. */
export const MAPPED: ReadonlySet<string> = new Set([
  ...['User', 'Role', 'Has Role', 'Role Profile', 'User Permission', 'DocShare', 'Document Follow'],
  ...['File', 'Comment', 'Version', 'Deleted Document', 'Webhook', 'Webhook Header', 'Webhook Data'],
  ...['Letter Head', 'Document Naming Rule', 'Document Naming Rule Condition'],
]);

/** Built-in doctypes that describe doctypes: they come as definitions. */
export const DEFINING: ReadonlySet<string> = new Set([
  ...['DocType', 'DocField', 'DocPerm', 'Custom Field', 'Property Setter', 'Custom DocPerm'],
]);
