/** Paths of the screens below `/app`. Only this file builds them. */
export const paths = {
  home: () => '/',
  login: () => '/login',
  doctypes: () => '/doctypes',
  /** A doctype's list; search parameters hold its filters. */
  list: (doctype: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/d/${encodeURIComponent(doctype)}`, search),
  /** A record's form. Webhooks have their own editor. */
  record: (doctype: string, name: string): string =>
    doctype === 'Webhook'
      ? paths.webhook(name)
      : `/d/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`,
  /** The form of a new record. Search parameters give its initial values. */
  newRecord: (doctype: string, values: Readonly<Record<string, unknown>> = {}): string =>
    doctype === 'Webhook'
      ? paths.newWebhook(values)
      : withSearch(`/new/${encodeURIComponent(doctype)}`, values),
  files: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/files', search),
  webhooks: () => '/webhooks',
  newWebhook: (values: Readonly<Record<string, unknown>> = {}) => withSearch('/new-webhook', values),
  webhook: (name: string) => `/webhooks/${encodeURIComponent(name)}`,
  deliveries: (search: Readonly<Record<string, unknown>> = {}) => withSearch('/deliveries', search),
  users: () => '/users',
  user: (name: string) => `/users/${encodeURIComponent(name)}`,
  profile: () => '/profile',
};

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
