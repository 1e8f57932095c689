/** Every route says what it requires, and keeps what it says: walked as Guest and as a user without roles. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fastify } from 'fastify';
import { guardRoutes, type RegisteredRoute } from '../../src/http/route-table.ts';
import { createServer } from '../../src/http/server.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

/** Routes that answer anybody. A new one is added here on purpose or not at all. */
const OPEN: ReadonlySet<string> = new Set([
  'GET /health',
  'HEAD /health',
  'GET /ready',
  'HEAD /ready',
  'GET /files/*',
  'HEAD /files/*',
  'GET /api/method/download_file',
  'HEAD /api/method/download_file',
  'GET /api/v2/method/download_file',
  'HEAD /api/v2/method/download_file',
  'GET /api/openapi.json',
  'HEAD /api/openapi.json',
  'GET /docs',
  'HEAD /docs',
  'GET /docs/:asset',
  'HEAD /docs/:asset',
  'GET /.well-known/oauth-authorization-server',
  'HEAD /.well-known/oauth-authorization-server',
  'GET /api/auth/:provider/start',
  'HEAD /api/auth/:provider/start',
  'GET /api/auth/:provider/callback',
  'HEAD /api/auth/:provider/callback',
  'GET /login',
  'HEAD /login',
  'GET /update-password',
  'HEAD /update-password',
]);

/** Routes that tell whoever calls, nobody included, what is wrong with what OAuth or the form of a page asks for. */
const PROTOCOL: Readonly<Record<string, number>> = {
  'GET /api/method/frappe.integrations.oauth2.authorize': 400,
  'HEAD /api/method/frappe.integrations.oauth2.authorize': 400,
  'POST /api/method/frappe.integrations.oauth2.get_token': 401,
  'POST /api/method/frappe.integrations.oauth2.revoke_token': 401,
  'POST /api/method/frappe.integrations.oauth2.introspect_token': 401,
  'POST /login': 401,
  'POST /update-password': 417,
};

/** Routes that tell callers who they are. */
const OWN: ReadonlySet<string> = new Set(
  ['GET', 'HEAD', 'POST'].map((verb) => `${verb} /api/method/frappe.integrations.oauth2.openid_profile`),
);

/** Routes that ask the method or nothing: a word about the service, and the door to methods. */
const DOOR: ReadonlySet<string> = new Set(['GET /', 'HEAD /', 'POST /']);

let site: TestSite;
let routes: readonly RegisteredRoute[];
let nobody: string;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
  nobody = await site.createUser('nobody@example.com', []);
  const server = createServer(site.site);
  await server.ready();
  routes = server.registeredRoutes;
  await server.close();
});
after(() => site.stop());

const SAMPLES: Readonly<Record<string, string>> = {
  ':doctype': 'Note',
  ':method': 'frappe.client.get_list',
  ':asset': 'x',
  '*': 'x',
};

function sample(path: string): string {
  return path
    .split('/')
    .map((part) => SAMPLES[part] ?? part)
    .join('/');
}

test('a route that does not declare its access and its work stops the start', async () => {
  const app = fastify();
  guardRoutes(app);
  assert.throws(() => app.get('/open', () => 'x'), /declare config.access/);
  const config = { access: 'guest' } as const;
  assert.throws(() => app.get('/unbounded', { config }, () => 'x'), /declare config.work/);
  await app.close();
});

test('only what costs nothing is neither counted nor bounded', () => {
  const free = routes.filter(({ work, offered }) => offered && work === 'none');
  assert.deepEqual([...new Set(free.map(({ path }) => path))].sort(), [
    '/.well-known/oauth-authorization-server',
    '/docs',
    '/docs/:asset',
    '/health',
    '/ready',
  ]);
  for (const { method, path, work, offered } of routes) {
    const writes = offered && !['GET', 'HEAD'].includes(method);
    if (writes)
      assert.ok(['write', 'upload', 'login', 'method'].includes(work), `${method} ${path}: ${work}`);
  }
});

test('guests and users without roles are refused everywhere but on the open routes', async () => {
  assert.ok(routes.length > 30, `${routes.length} routes`);
  for (const { method, path, access } of routes) {
    const key = `${method} ${path}`;
    if (DOOR.has(key)) continue;
    for (const as of [null, nobody]) {
      const body = ['POST', 'PUT'].includes(method) ? { doctype: 'Note', title: 'T', name: 'T' } : undefined;
      const query = ['GET', 'HEAD', 'DELETE'].includes(method) ? '?doctype=Note' : '';
      const reply = await site.request(method, sample(path) + query, { as, body });
      const what = `${key} as ${as === null ? 'Guest' : 'a user without roles'}: ${reply.status}`;
      if (method === 'OPTIONS') assert.equal(reply.status, 204, what);
      else if (PROTOCOL[key]) assert.equal(reply.status, PROTOCOL[key], what);
      else if (OWN.has(key)) assert.equal(reply.status, as === null ? 403 : 200, what);
      else if (OPEN.has(key)) {
        assert.equal(access, 'guest', what);
        assert.ok([200, 404].includes(reply.status), what);
      } else if (access === 'guest') assert.equal(reply.status, 405, what);
      else if (access === 'user' && as !== null) assert.ok(reply.status >= 400 && reply.status < 500, what);
      else assert.ok([403, 405].includes(reply.status), what);
    }
  }
});

test('no built-in method but the signing in and out and the time zone answers a guest', async () => {
  const { BUILT_INS } = await import('../../src/http/methods/methods.ts');
  const open = Object.entries(BUILT_INS).filter(([, method]) => method.allowGuest);
  assert.deepEqual(
    open.map(([name]) => name),
    [
      'ping',
      'frappe.ping',
      'login',
      'logout',
      'frappe.core.doctype.user.user.update_password',
      'frappe.core.doctype.user.user.reset_password',
      'frappe.client.get_time_zone',
    ],
  );
  for (const [name, method] of Object.entries(BUILT_INS)) {
    if (method.allowGuest) continue;
    for (const verb of method.http) {
      const reply = await site.request(verb, `/api/method/${name}`, { as: null });
      assert.equal(reply.status, 403, `${verb} ${name}`);
    }
  }
});

test('an app cannot take the name of a built-in method', () => {
  const method = { http: ['GET'], allowGuest: true, run: () => Promise.resolve(1) } as const;
  const taken = Object.create(site.site, { methods: { value: new Map([['ping', method]]) } });
  assert.throws(() => createServer(taken), /ping is built in/);
});
