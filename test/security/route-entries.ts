import { type Entry, type Exception, ok } from './entries.ts';
import type { WalkSite } from './walk-site.ts';

/** How a route is called, besides what every entry says. */
export interface RouteEntry extends Entry {
  /** The address with its parameters. */
  readonly url: (walk: WalkSite) => Promise<string>;
  /** What is sent; FormData for an upload. */
  readonly body?: (walk: WalkSite) => Promise<unknown>;
}

const at = (path: string) => async () => path;
const onNote =
  (prefix: string, suffix = '') =>
  async (walk: WalkSite) =>
    `${prefix}Note/${await walk.note()}${suffix}`;
const newNote = async () => ({ title: 'T', __newname: `w-${Math.random()}` });
const changed = async () => ({ title: 'T' });

const open = (path: string, because: string): RouteEntry => ({
  url: at(path),
  exceptions: { anybody: ok(because) },
});
/** The page of the admin UI, or the word that it is not built. */
const moved = (path: string, because: string): RouteEntry => ({
  url: at(path),
  exceptions: { anybody: { status: [200, 302, 404], because } },
  apart: 'test/http/admin-ui.test.ts',
});
const byMethod = (path: string): RouteEntry => ({
  url: at(path),
  apart: 'method-entries.ts: each method says who may call it',
});
const protocol = (path: string, status: number, because: string): RouteEntry => {
  const exception: Exception = { status: [status], because };
  return { url: at(path), exceptions: { anybody: exception }, apart: because };
};

const form = async () => {
  const data = new FormData();
  data.set('file', new Blob(['x']), 'x.txt');
  data.set('is_private', '1');
  return data;
};
const attached =
  (note: (walk: WalkSite) => Promise<string>) =>
  async (walk: WalkSite): Promise<FormData> => {
    const data = await form();
    data.set('doctype', 'Note');
    data.set('docname', await note(walk));
    return data;
  };
const upload = (path: string): RouteEntry => ({
  url: at(path),
  body: attached((walk) => walk.note()),
});

function resource(prefix: string): Record<string, RouteEntry> {
  return {
    [`GET ${prefix}:doctype`]: { url: at(`${prefix}Note`) },
    [`POST ${prefix}:doctype`]: { url: at(`${prefix}Note`), body: newNote },
    [`GET ${prefix}:doctype/*`]: { url: onNote(prefix) },
    [`PUT ${prefix}:doctype/*`]: { url: onNote(prefix), body: changed },
    [`DELETE ${prefix}:doctype/*`]: { url: onNote(prefix) },
  };
}

/** One private file as a zip. */
function zip(path: string): Record<string, RouteEntry> {
  return {
    [`GET ${path}`]: { url: async (walk) => `${path}?files=["${await fileName(walk)}"]` },
    [`POST ${path}`]: { url: at(path), body: async (walk) => ({ files: [await fileName(walk)] }) },
  };
}

async function fileName(walk: WalkSite): Promise<string> {
  const filters = encodeURIComponent(JSON.stringify({ file_url: await walk.file() }));
  return (await walk.site.request('GET', `/api/resource/File?filters=${filters}`)).body.data[0].name;
}

/** A method that each verb calls. */
const CALLED = {
  GET: 'frappe.client.get_list',
  POST: 'frappe.client.insert',
  PUT: 'frappe.client.save',
  DELETE: 'frappe.client.delete',
};

const OAUTH = '/api/method/frappe.integrations.oauth2.';
const ITS_OWN = 'test/http/oauth.test.ts: it tells a client what is wrong with its request';
const TUS = 'test/http/tus-limits.test.ts: it asks for the headers of its protocol';
const PROVIDER = 'test/http/openid.test.ts: a browser comes here to sign in elsewhere';

/**
 * Every route that is offered, by verb and path; HEAD as GET. A new one is added here on purpose, or the walk
 * fails.
 */
export const ROUTE_ENTRIES: Readonly<Record<string, RouteEntry>> = {
  'GET /health': open('/health', 'a supervisor asks without credentials'),
  'GET /ready': open('/ready', 'a load balancer asks without credentials'),
  'GET /metrics': {
    url: at('/metrics'),
    apart: 'test/http/metrics.test.ts: it has a token of its own beside the keys of System Managers',
  },
  'GET /docs': open('/docs', 'a page that holds nothing of the site'),
  'GET /docs/:asset': {
    url: at('/docs/x'),
    exceptions: { anybody: { status: [404], because: 'files of the page, and nothing else' } },
    apart: 'test/http/docs.test.ts',
  },
  'GET /app': moved('/app', 'a page that holds nothing of the site'),
  'GET /app/*': moved('/app/x', 'the same page'),
  'GET /desk': moved('/desk', 'leads to it'),
  'GET /desk/*': moved('/desk/x', 'leads to it'),
  'GET /api/openapi.json': open('/api/openapi.json', 'it shows each caller what that caller may use'),
  ...resource('/api/resource/'),
  'POST /api/resource/:doctype/*': {
    url: onNote('/api/resource/', '?run_method=stamp'),
    body: async () => ({}),
  },
  ...resource('/api/v2/document/'),
  'POST /api/v2/document/:doctype/*': {
    url: onNote('/api/v2/document/', '/method/stamp'),
    body: async () => ({}),
  },
  'PATCH /api/v2/document/:doctype/*': { url: onNote('/api/v2/document/'), body: changed },
  'GET /api/v2/doctype/:doctype/meta': { url: at('/api/v2/doctype/Note/meta') },
  'GET /api/v2/doctype/:doctype/count': { url: at('/api/v2/doctype/Note/count') },
  'GET /api/v2/doctype/:doctype/search': { url: at('/api/v2/doctype/Note/search?txt=') },
  'GET /api/events': {
    url: at('/api/events?doctype=Note'),
    apart: 'test/http/events.test.ts: the answer lasts; HEAD asks here for the same rights',
  },
  'HEAD /api/events': { url: at('/api/events?doctype=Note') },
  'GET /files/*': {
    url: at('/files/none.txt'),
    apart: 'test/http/files-download.test.ts: public files are for everybody',
    exceptions: { anybody: { status: [404], because: 'public files are for everybody' } },
  },
  'GET /private/files/*': { url: (walk) => walk.file() },
  'GET /api/method/download_file': {
    url: async (walk) => `/api/method/download_file?file_url=${encodeURIComponent(await walk.file())}`,
  },
  'GET /api/v2/method/download_file': {
    url: async (walk) => `/api/v2/method/download_file?file_url=${encodeURIComponent(await walk.file())}`,
  },
  ...zip('/api/method/frappe.core.api.file.zip_files'),
  ...zip('/api/v2/method/frappe.core.api.file.zip_files'),
  'POST /api/method/upload_file': upload('/api/method/upload_file'),
  'POST /api/v2/method/upload_file': upload('/api/v2/method/upload_file'),
  'POST /api/v2/document/:doctype/:name/attachments': {
    url: onNote('/api/v2/document/', '/attachments'),
    body: form,
  },
  'POST /api/files/tus': { url: at('/api/files/tus'), apart: TUS },
  'HEAD /api/files/tus/:upload': { url: at('/api/files/tus/x'), apart: TUS },
  'PATCH /api/files/tus/:upload': { url: at('/api/files/tus/x'), apart: TUS },
  'DELETE /api/files/tus/:upload': { url: at('/api/files/tus/x'), apart: TUS },
  'GET /': open('/', 'a word about the service'),
  'POST /': byMethod('/?cmd=frappe.client.get_value'),
  ...Object.fromEntries(
    ['/api/method/:method', '/api/method/:method/*', '/api/v2/method/:method'].flatMap((path) =>
      Object.entries(CALLED).map(([verb, method]) => [
        `${verb} ${path}`,
        byMethod(path.replace(':method', method).replace('*', 'x')),
      ]),
    ),
  ),
  'GET /.well-known/oauth-authorization-server': open(
    '/.well-known/oauth-authorization-server',
    'clients learn from it where to ask',
  ),
  'GET /api/auth/:provider/start': protocol('/api/auth/none/start', 404, PROVIDER),
  'GET /api/auth/:provider/callback': protocol('/api/auth/none/callback', 404, PROVIDER),
  'GET /login': open('/login', 'the page to sign in with'),
  'POST /login': protocol('/login', 401, 'test/http/oauth.test.ts: the page’s form, with a password'),
  'GET /update-password': open('/update-password', 'where the link of a mail leads'),
  'POST /update-password': protocol(
    '/update-password',
    417,
    'test/http/password-reset.test.ts: the page’s form',
  ),
  [`GET ${OAUTH}authorize`]: protocol(`${OAUTH}authorize`, 400, ITS_OWN),
  [`POST ${OAUTH}approve`]: {
    url: at(`${OAUTH}approve`),
    apart: 'test/http/oauth.test.ts: it asks for a session and its token',
  },
  [`POST ${OAUTH}get_token`]: protocol(`${OAUTH}get_token`, 401, ITS_OWN),
  [`POST ${OAUTH}revoke_token`]: protocol(`${OAUTH}revoke_token`, 401, ITS_OWN),
  [`POST ${OAUTH}introspect_token`]: protocol(`${OAUTH}introspect_token`, 401, ITS_OWN),
  [`GET ${OAUTH}openid_profile`]: {
    url: at(`${OAUTH}openid_profile`),
    exceptions: { users: ok('everybody may know who they are') },
  },
  [`POST ${OAUTH}openid_profile`]: {
    url: at(`${OAUTH}openid_profile`),
    exceptions: { users: { status: [200, 403], because: 'everybody may know who they are' } },
  },
};
