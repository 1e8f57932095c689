/**
 * Every route is a declared address, and every operation has an address.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Verb, workOf } from '../src/http/address/address.ts';
import { ADDRESSES } from '../src/http/addresses.ts';
import { DOCUMENT_ADDRESSES } from '../src/http/documents/addresses.ts';
import { PATHS } from '../src/http/documents/document-routes.ts';
import { BUILT_INS } from '../src/http/methods/methods.ts';
import { createServer } from '../src/http/server.ts';
import { startTestSite } from './support/site.ts';

test('each route is declared, and each declared address is a route', async () => {
  const site = await startTestSite('sqlite');
  const server = createServer(site.site);
  await server.ready();
  const offered = server.registeredRoutes.filter((route) => route.offered);
  await server.close();
  await site.stop();
  const routes = offered.map(({ method, path, access, work }) => `${method} ${path} ${access} ${work}`);
  const declared = ADDRESSES.flatMap((address) => {
    const { path, access, verbs } = address;
    const offers = Object.keys(verbs) as Verb[];
    if (verbs.GET) offers.push('HEAD');
    return offers.map((verb) => `${verb} ${path} ${access} ${workOf(address, verb)}`);
  });
  assert.deepEqual(routes.toSorted(), declared.toSorted());
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
