import { ADDRESSES } from '../../src/http/addresses.ts';
import { type Entry, ok } from './entries.ts';
import type { WalkSite } from './walk-site.ts';

/** How a route is called, besides what every entry says. */
interface RouteEntry extends Entry {
  /** The address with its parameters. */
  readonly url: (walk: WalkSite, path: string) => Promise<string>;
  /** What is sent; FormData for an upload. */
  readonly body?: (walk: WalkSite) => Promise<unknown>;
}

const newNote = async () => ({ title: 'T', __newname: `w-${Math.random()}` });
const changed = async () => ({ title: 'T' });
const nothing = async () => ({});
const form = async () => {
  const data = new FormData();
  data.set('file', new Blob(['x']), 'x.txt');
  data.set('is_private', '1');
  return data;
};

const open = (because: string) => ({ exceptions: { anybody: ok(because) } });
/** The page of the admin UI, or the word that it is not built. */
const moved = (because: string) => ({
  exceptions: { anybody: { status: [200, 302, 404], because } },
  apart: 'test/http/admin-ui.test.ts',
});
const protocol = (status: number, because: string) => ({
  exceptions: { anybody: { status: [status], because } },
  apart: because,
});

const BY_METHOD = { apart: 'method-entries.ts: each method says who may call it' };
const TUS = { apart: 'test/http/tus-limits.test.ts: it asks for the headers of its protocol' };
const ITS_OWN = 'test/http/oauth.test.ts: it tells a client what is wrong with its request';
const OAUTH = '/api/method/frappe.integrations.oauth2.';
const PROVIDER = protocol(404, 'test/http/openid.test.ts: a browser comes here to sign in elsewhere');
const EXPORT = {
  url: async (_walk: WalkSite, path: string) => `${path}?doctype=Note&fields=name`,
  exceptions: { 'read-only': { status: [403], because: 'its role has no right to export' } },
};
const REPORT = { apart: 'test/http/import.test.ts: an import belongs to one user' };
const CLAIMS = 'everybody may know who they are';
const UPLOAD = {
  async body(walk: WalkSite) {
    const data = await form();
    data.set('doctype', 'Note');
    data.set('docname', await walk.note());
    return data;
  },
};

/**
 * Routes that need more than sample values, or answer somebody otherwise than with a refusal: by path, or by
 * verb and path.
 */
const ENTRIES: Readonly<Record<string, Partial<RouteEntry>>> = {
  '/health': open('a supervisor asks without credentials'),
  '/ready': open('a load balancer asks without credentials'),
  '/metrics': {
    apart: 'test/http/metrics.test.ts: it has a token of its own beside the keys of System Managers',
  },
  '/docs': open('a page that holds nothing of the site'),
  '/docs/:asset': protocol(404, 'test/http/docs.test.ts: files of the page, and nothing else'),
  '/printview': {
    url: async (walk, path) => `${path}?doctype=Note&name=${await walk.note()}`,
    exceptions: { 'read-only': { status: [403], because: 'its role has no right to print' } },
  },
  '/api/method/chancery.export': EXPORT,
  '/api/v2/method/chancery.export': EXPORT,
  '/api/method/chancery.import.report': REPORT,
  '/api/v2/method/chancery.import.report': REPORT,
  '/app': moved('a page that holds nothing of the site'),
  '/app/*': moved('the same page'),
  '/desk': moved('leads to it'),
  '/desk/*': moved('leads to it'),
  '/api/openapi.json': open('it shows each caller what that caller may use'),
  'POST /api/resource/:doctype/*': {
    url: async (walk, path) => `${await sampled(walk, path)}?run_method=stamp`,
    body: nothing,
  },
  'POST /api/v2/document/:doctype/*': {
    url: async (walk, path) => `${await sampled(walk, path)}/method/stamp`,
    body: nothing,
  },
  '/api/events': {
    url: async () => '/api/events?doctype=Note',
    apart: 'test/http/events.test.ts: the answer lasts; HEAD asks here for the same rights',
  },
  'HEAD /api/events': { url: async () => '/api/events?doctype=Note' },
  '/files/*': protocol(404, 'test/http/files-download.test.ts: public files are for everybody'),
  '/private/files/*': { url: (walk) => walk.file() },
  '/api/method/download_file': {
    url: async (walk, path) => `${path}?file_url=${encodeURIComponent(await walk.file())}`,
  },
  'GET /api/method/frappe.core.api.file.zip_files': {
    url: async (walk, path) => `${path}?files=["${await fileName(walk)}"]`,
  },
  'POST /api/method/frappe.core.api.file.zip_files': {
    body: async (walk) => ({ files: [await fileName(walk)] }),
  },
  '/api/method/upload_file': UPLOAD,
  '/api/method/uploadfile': UPLOAD,
  '/api/v2/method/upload_file': UPLOAD,
  '/api/v2/document/:doctype/:name/attachments': { body: form },
  '/api/files/tus': TUS,
  '/api/files/tus/:upload': TUS,
  'GET /': open('a word about the service'),
  'POST /': { url: async () => '/?cmd=frappe.client.get_value', ...BY_METHOD },
  '/api/method/:method': BY_METHOD,
  '/api/v2/method/:method': BY_METHOD,
  '/.well-known/oauth-authorization-server': open('clients learn from it where to ask'),
  '/api/auth/:provider/start': PROVIDER,
  '/api/auth/:provider/callback': PROVIDER,
  'GET /login': open('the page to sign in with'),
  'POST /login': protocol(401, 'test/http/oauth.test.ts: the page’s form, with a password'),
  'GET /update-password': open('where the link of a mail leads'),
  'POST /update-password': protocol(417, 'test/http/password-reset.test.ts: the page’s form'),
  [`${OAUTH}authorize`]: protocol(400, ITS_OWN),
  [`${OAUTH}approve`]: { apart: 'test/http/oauth.test.ts: it asks for a session and its token' },
  [`${OAUTH}get_token`]: protocol(401, ITS_OWN),
  [`${OAUTH}revoke_token`]: protocol(401, ITS_OWN),
  [`${OAUTH}introspect_token`]: protocol(401, ITS_OWN),
  [`GET ${OAUTH}openid_profile`]: { exceptions: { users: ok(CLAIMS) } },
  [`POST ${OAUTH}openid_profile`]: { exceptions: { users: { status: [200, 403], because: CLAIMS } } },
};

/** Keys that no route has any more. */
export function entriesLeftOver(): readonly string[] {
  const known = ADDRESSES.flatMap(({ path, verbs }) => [
    path,
    ...[...Object.keys(verbs), 'HEAD'].map((verb) => `${verb} ${path}`),
  ]);
  return Object.keys(ENTRIES).filter((key) => !known.includes(key));
}

/** How a route is called; HEAD as GET. A route without an entry refuses everybody in the walk. */
export function routeEntry(verb: string, path: string): RouteEntry {
  const { sameAs = path } = ADDRESSES.find((address) => address.path === path) ?? {};
  const asGet = verb === 'HEAD' ? ENTRIES[`GET ${sameAs}`] : undefined;
  const entry = ENTRIES[`${verb} ${sameAs}`] ?? asGet ?? ENTRIES[sameAs];
  return { url: (walk) => sampled(walk, path, verb), ...bodyOf(verb, path), ...entry };
}

function bodyOf(verb: string, path: string): Pick<RouteEntry, 'body'> {
  if (verb === 'POST') return path.endsWith('/:doctype') ? { body: newNote } : {};
  return verb === 'PUT' || verb === 'PATCH' ? { body: changed } : {};
}

/** A method that each verb calls. */
const CALLED: Readonly<Record<string, string>> = {
  POST: 'frappe.client.insert',
  PUT: 'frappe.client.save',
  DELETE: 'frappe.client.delete',
};

async function sampled(walk: WalkSite, path: string, verb = 'GET'): Promise<string> {
  const isNote = /:doctype\/(?:\*|:name)/.test(path);
  return path
    .replace(':doctype', 'Note')
    .replace(':method', CALLED[verb] ?? 'frappe.client.get_list')
    .replace(/:\w+|\*/, isNote ? await walk.note() : 'x');
}

async function fileName(walk: WalkSite): Promise<string> {
  const filters = encodeURIComponent(JSON.stringify({ file_url: await walk.file() }));
  return (await walk.site.request('GET', `/api/resource/File?filters=${filters}`)).body.data[0].name;
}
