/** Paths of the screens below `/app`. Only this file builds them. */
export const paths = {
  home: () => '/',
  login: () => '/login',
  doctypes: () => '/doctypes',
  /** The designer of a doctype; of a new one without a name. */
  designer: (doctype?: string) =>
    doctype === undefined ? '/doctypes/new' : `/doctypes/${encodeURIComponent(doctype)}`,
  /** A doctype's list; search parameters hold its filters. */
  list: (doctype: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/d/${encodeURIComponent(doctype)}`, search),
  /** A record's form. Webhooks, doctypes, imports and the settings of the system have screens of their own. */
  record: (doctype: string, name: string): string =>
    ownScreen(doctype, name) ?? `/d/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`,
  /** The form of a new record. Search parameters give its initial values. */
  newRecord: (doctype: string, values: Readonly<Record<string, unknown>> = {}): string =>
    doctype === 'Webhook'
      ? paths.newWebhook(values)
      : doctype === 'DocType'
        ? paths.designer()
        : withSearch(`/new/${encodeURIComponent(doctype)}`, values),
  /** The import of a file into a doctype; `load` is one that has begun, and `from` one whose choices it takes. */
  importInto: (doctype: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/import/${encodeURIComponent(doctype)}`, search),
  /** An import, or a load of the command line. */
  load: (name: string) => `/loads/${encodeURIComponent(name)}`,
  files: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/files', search),
  webhooks: () => '/webhooks',
  newWebhook: (values: Readonly<Record<string, unknown>> = {}) => withSearch('/new-webhook', values),
  webhook: (name: string) => `/webhooks/${encodeURIComponent(name)}`,
  deliveries: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/deliveries', search),
  dashboards: () => '/dashboards',
  dashboard: (name: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/dashboards/${encodeURIComponent(name)}`, search),
  users: () => '/users',
  user: (name: string) => `/users/${encodeURIComponent(name)}`,
  /** Roles by doctype or by role; `tab` is `users`, `shares` or `why`. */
  permissions: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/permissions', search),
  /** The API reference; `method` names one method. */
  api: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/api', search),
  /** The API of a doctype: `call` is one of its calls, and `values` its parameters. */
  apiDoctype: (doctype: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/api/${encodeURIComponent(doctype)}`, search),
  /** The state of the server; `part` is one of its parts, such as `audit`. */
  system: (part?: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(part === undefined ? '/system' : `/system/${part}`, search),
  profile: () => '/profile',
};

// A map, because a doctype may have the name of a property that every object has.
const OWN_SCREENS: ReadonlyMap<string, (name: string) => string> = new Map<string, (name: string) => string>([
  ['Webhook', (name) => paths.webhook(name)],
  ['DocType', (name) => paths.designer(name)],
  ['Data Load', (name) => paths.load(name)],
  ['System Settings', () => paths.system('settings')],
]);

/** The path of the screen that shows a record instead of the form; undefined if it has none. */
export function ownScreen(doctype: string, name: string): string | undefined {
  return OWN_SCREENS.get(doctype)?.(name);
}

/** The path at which the UI is mounted. */
export const BASE = '/app';

/** Turns a path of a screen into an address of the site. */
export function hrefOf(path: string): string {
  return path === '/' ? BASE : `${BASE}${path}`;
}

/** Encodes search parameters for the router. Quotes any text that the router would parse as another type. */
export function withSearch(path: string, values: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) search.set(name, searchText(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

function searchText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}
