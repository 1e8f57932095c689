/**
 * Every address leads to a declared operation, every operation has an address, and docs/wire.md lists those
 * of documents.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Address, DOCUMENT_ADDRESSES, verbsOn } from '../src/http/documents/addresses.ts';
import { DOCUMENT_ROUTES, PATHS } from '../src/http/documents/document-target.ts';
import { BUILT_INS } from '../src/http/methods/methods.ts';
import { DESCRIBED_ROUTES, SAME_ROUTES } from '../src/http/openapi/described-routes.ts';
import { createServer } from '../src/http/server.ts';
import { startTestSite } from './support/site.ts';

/** Pages, and the form that a page posts: OpenAPI is about programs, and leaves them out. */
const PAGES: ReadonlySet<string> = new Set([
  '/login',
  '/api/auth/:provider/start',
  '/api/auth/:provider/callback',
]);

test('each route is declared, and each declared path is a route', async () => {
  const site = await startTestSite('sqlite');
  const server = createServer(site.site);
  await server.ready();
  const offered = server.registeredRoutes.filter((route) => route.offered);
  await server.close();
  await site.stop();
  const documents = new Map(DOCUMENT_ROUTES.map((route) => [route.path, route]));
  for (const { method, path } of offered) {
    const declared = DESCRIBED_ROUTES[SAME_ROUTES[path] ?? path] !== undefined || PAGES.has(path);
    assert.ok(declared, `${path} is not declared`);
    const route = documents.get(path);
    const verbs: readonly string[] = route?.parts.flatMap((part) => verbsOn(route.version, part)) ?? [method];
    assert.ok(method === 'HEAD' || verbs.includes(method), `${method} ${path} has no row in addresses.ts`);
  }
  const paths = new Set(offered.map(({ path }) => path));
  assert.deepEqual(
    [...documents.keys(), ...PAGES].filter((path) => !paths.has(path)),
    [],
  );
});

test('each operation has an address, and one of its own', () => {
  const names = BUILT_INS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, 'two methods have one name');
  const known = new Set(names);
  for (const { operation, v1, v2, rpc } of DOCUMENT_ADDRESSES) {
    assert.ok(v1.length + v2.length > 0, `${operation.name} has no address`);
    for (const name of rpc) assert.ok(known.has(name), `there is no method ${name}`);
    for (const { version, part } of [...v1, ...v2])
      assert.ok(PATHS[version][part], `${version} has no ${part}`);
  }
  const places = DOCUMENT_ADDRESSES.flatMap(({ v1, v2 }) =>
    [...v1, ...v2].flatMap(({ version, part, verbs }) => verbs.map((verb) => `${version} ${verb} ${part}`)),
  );
  assert.equal(new Set(places).size, places.length, 'two operations have one address');
});

test('docs/wire.md lists the addresses of documents', () => {
  const page = readFileSync(fileURLToPath(new URL('../docs/wire.md', import.meta.url)), 'utf8');
  const [, written = ''] = /<!-- addresses -->\n(.*?)\n<!-- end of addresses -->/s.exec(page) ?? [];
  const table = ['| | v1 | v2 | methods |', '|---|---|---|---|', ...DOCUMENT_ADDRESSES.map(shownRow)].join(
    '\n',
  );
  assert.equal(written, table, `put this between the comments:\n${table}`);
});

function shownRow({ operation, v1, v2, rpc }: (typeof DOCUMENT_ADDRESSES)[number]): string {
  const methods = rpc.map((name) => `\`${name}\``).join(', ');
  return `| ${operation.summary} | ${v1.map(shown).join(', ')} | ${v2.map(shown).join(', ')} | ${methods} |`;
}

function shown({ version, part, verbs }: Address): string {
  const path = (PATHS[version][part] ?? '').replaceAll('{', '<').replaceAll('}', '>');
  return `\`${verbs.join(', ')} ${path}\``;
}
