/** Addresses of the screens, below `/app`: the only place that builds them. */
export const paths = {
  home: () => '/',
  login: () => '/login',
  doctypes: () => '/doctypes',
  /** A doctype's list; search parameters hold its filters. */
  list: (doctype: string, search: Readonly<Record<string, unknown>> = {}) =>
    withSearch(`/d/${encodeURIComponent(doctype)}`, search),
  /** A record's form; webhooks have an editor of their own. */
  record: (doctype: string, name: string): string =>
    doctype === 'Webhook'
      ? paths.webhook(name)
      : `/d/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`,
  /** A form without a document yet; search parameters are its first values. */
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

/** Where the UI is mounted. */
export const BASE = '/app';

/** A path of a screen as an address of the site. */
export function hrefOf(path: string): string {
  return path === '/' ? BASE : `${BASE}${path}`;
}

/**
 * Search parameters as the router reads them: what would be read as something else than the text it is, is
 * quoted.
 */
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
