/** The OpenAPI document: valid, complete, true of what the server answers, and no more than its reader may know. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import crm from '../../apps/crm/app.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { usableDoctypes } from '../../src/http/address/scope.ts';
import { ADDRESSES } from '../../src/http/addresses.ts';
import { methodTable } from '../../src/http/methods/methods.ts';
import { createServer } from '../../src/http/server.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { assertEnvelope } from '../support/wire.ts';

type Json = Record<string, unknown>;

describeEither('OpenAPI', { apps: [crm, notes] }, (site) => {
  const documentFor = async (as?: string | null) => {
    const reply = await site.request('GET', '/api/openapi.json', { as });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  test('it is valid OpenAPI 3.1 for everybody', async () => {
    const seller = await site.createUser('seller@example.com', ['Sales User']);
    for (const as of [undefined, seller, null]) {
      const document = await documentFor(as);
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors, null, 1));
      assert.equal(document.openapi, '3.1.0');
      assertResolves(document);
      assertUniqueIds(document);
    }
    const broken = { ...(await documentFor()), paths: { nowhere: {} } };
    assert.equal((await new Validator().validate(broken)).valid, false);
  });

  test('its schemas hold for what the server answers, and for what it accepts', async () => {
    const document = await documentFor();
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: 'api', components: document.components });
    const fits = (schema: string, value: unknown) => {
      const validate = ajv.compile({ $ref: `api#/components/schemas/${schema}` });
      return validate(value) ? '' : ajv.errorsText(validate.errors);
    };
    const customer = { customer_name: 'Acme', customer_type: 'Company', credit_limit: 5 };
    assert.equal(fits('Customer.Create', customer), '');
    const created = await site.make('Customer', customer);
    assert.equal(fits('Customer', created), '');
    const invoice = { customer: 'Acme', items: [{ item_code: 'A', qty: 1, rate: 2 }] };
    assert.equal(fits('SalesInvoice.Create', invoice), '');
    const made = await site.request('POST', '/api/resource/Sales%20Invoice', { body: invoice });
    assert.equal(fits('SalesInvoice', made.body.data), '');
    const listed = await site.request('GET', '/api/resource/Customer?fields=["name","credit_limit","phone"]');
    assert.equal(fits('Customer.Fields', listed.body.data[0]), '');
    const refused = await site.request('POST', '/api/resource/Customer', { body: {} });
    assert.equal(fits('Error', refused.body), '');

    assert.match(fits('Customer.Create', {}), /customer_name/);
    assert.match(fits('Customer.Update', { customer_type: 'Nobody' }), /allowed values/);
    assert.match(fits('SalesInvoice.Create', { ...invoice, items: [] }), /fewer than 1/);
    assert.match(fits('SalesInvoice.Update', { items: [{ qty: 'many' }] }), /number/);
    assert.match(fits('Customer', { ...created, creation: 'yesterday' }), /pattern/);
  });

  test('every doctype that exists, standard ones included, answers by its own schema', async () => {
    const document = await documentFor();
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: 'api', components: document.components });
    let looked = 0;
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const read = item['get'] as
        | {
            responses: Record<
              string,
              { content: Record<string, { schema: { properties: { data: { $ref: string } } } }> }
            >;
          }
        | undefined;
      const match = /^(\/api\/resource\/[^/]+)\/\{name\}$/.exec(path);
      if (!match || !read) continue;
      const rows = await site.request('GET', `${match[1]}?limit_page_length=3`);
      for (const { name } of rows.body?.data ?? []) {
        const reply = await site.request('GET', `${match[1]}/${encodeURIComponent(name)}`);
        const $ref: string | undefined =
          read.responses['200']?.content['application/json']?.schema.properties.data.$ref;
        const validate: ReturnType<typeof ajv.compile> = ajv.compile({ $ref: `api${$ref}` });
        assert.ok(validate(reply.body.data), `${path} ${name}: ${ajv.errorsText(validate.errors)}`);
        looked += 1;
      }
    }
    assert.ok(looked > 20, `${looked} documents`);
  });

  test('it shows what its reader may use, and nothing else', async () => {
    const guest = await documentFor(null);
    assert.ok(!JSON.stringify(guest).includes('Sales Invoice'));
    assert.deepEqual(Object.keys(guest.paths['/api/method/notes.echo']), ['get', 'post']);
    assert.equal(guest.paths['/api/method/frappe.client.get'], undefined);
    assert.equal(guest.paths['/api/method/upload_file'], undefined);

    const nobody = await documentFor(await site.createUser('nobody@example.com', []));
    assert.equal(nobody.paths['/api/resource/Customer'], undefined);
    assert.equal(nobody.components.schemas.Customer, undefined);
    assert.ok(nobody.paths['/api/method/frappe.client.get']);
    assert.deepEqual(nobody.webhooks, {});

    const all = await documentFor();
    assert.deepEqual(Object.keys(all.paths['/api/resource/Customer/{name}']).sort(), [
      'delete',
      'get',
      'parameters',
      'post',
      'put',
    ]);
    assert.ok(all.webhooks.Customer);
    assert.equal(
      all.paths['/api/resource/Sales%20Invoice%20Item'].post.operationId,
      'createSalesInvoiceItem',
    );
  });

  test('it can describe one doctype with its child tables', async () => {
    const ask = (doctype: string, as?: string | null) =>
      site.request('GET', `/api/openapi.json?doctype=${encodeURIComponent(doctype)}`, { as });
    const whole = await documentFor();
    const { body: document, headers } = await ask('Sales Invoice');
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    assertResolves(document);
    for (const path of ['Sales%20Invoice', 'Sales%20Invoice/{name}', 'Sales%20Invoice%20Item']) {
      assert.deepEqual(document.paths[`/api/resource/${path}`], whole.paths[`/api/resource/${path}`]);
    }
    const { SalesInvoice, 'SalesInvoice.Create': creation } = document.components.schemas;
    assert.deepEqual(SalesInvoice, whole.components.schemas.SalesInvoice);
    assert.deepEqual(creation, whole.components.schemas['SalesInvoice.Create']);
    assert.deepEqual(Object.keys(document.webhooks), ['Sales Invoice']);
    assert.ok(!JSON.stringify(document).includes('Customer.Create'));
    assert.equal(document.paths['/api/method/frappe.client.get'], undefined);
    const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    assert.equal((await site.request('GET', '/api/openapi.json?doctype=Sales+Invoice', known)).status, 304);
    assert.equal((await site.request('GET', '/api/openapi.json?doctype=Note', known)).status, 200);

    assertEnvelope(await ask('Nothing'), 'DoesNotExistError');
    assertEnvelope(await ask('Sales Invoice', null), 'PermissionError');
    assert.deepEqual((await ask('')).body, whole);
  });

  test('it follows the doctypes, and is the same until they change', async () => {
    const first = await site.request('GET', '/api/openapi.json');
    const etag = first.headers.get('etag') ?? '';
    const again = await site.request('GET', '/api/openapi.json', { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    // A proxy that compresses makes the tag weak.
    const weak = { headers: { 'if-none-match': `"old", W/${etag}` } };
    assert.equal((await site.request('GET', '/api/openapi.json', weak)).status, 304);
    await site.request('POST', '/api/resource/Role', { body: { role_name: 'Planner' } });
    const field = { fieldname: 'secret_plan', fieldtype: 'Data', label: 'Plan', permlevel: 3, reqd: 1 };
    await site.make('DocType', {
      name: 'Road-Plan',
      module: 'Test',
      custom: 1,
      autoname: 'prompt',
      fields: [field, { fieldname: 'open', fieldtype: 'Check', label: 'Open' }],
      permissions: [{ role: 'Planner', permlevel: 0, read: 1, write: 1, create: 1 }],
    });
    const changed = await site.request('GET', '/api/openapi.json', { headers: { 'if-none-match': etag } });
    assert.equal(changed.status, 200);
    const path = '/api/resource/Road-Plan';
    const schema = changed.body.paths[path].post.requestBody.content['application/json'].schema.$ref;
    assert.equal(schema, '#/components/schemas/RoadPlan.Create');
    assert.deepEqual(changed.body.components.schemas['RoadPlan.Create'].required, ['secret_plan', 'name']);
    const planner = await documentFor(await site.createUser('planner@example.com', ['Planner']));
    assert.deepEqual(Object.keys(planner.paths[`${path}/{name}`]).sort(), [
      'get',
      'parameters',
      'post',
      'put',
    ]);
    assert.ok(!JSON.stringify(planner).includes('secret_plan'));
    assert.ok(planner.components.schemas['RoadPlan.Create'].properties.open);
  });

  test('no route is missing from it', async () => {
    const server = createServer(site.site);
    await server.ready();
    const routes = server.registeredRoutes;
    await server.close();
    const document = await documentFor();
    const methods = methodTable(site.site);
    const scope = {
      user: ADMINISTRATOR,
      registry: site.site.doctypes,
      methods,
      controllers: site.site.controllers,
      doctypes: usableDoctypes(site.site, ADMINISTRATOR, site.site.doctypes),
    };
    const offered = routes.filter((route) => route.offered && route.method !== 'HEAD');
    assert.ok(offered.length > 15);
    const declared = new Map(ADDRESSES.map((address) => [address.path, address]));
    for (const { method, path } of offered) {
      const described = declared.get(declared.get(path)?.sameAs ?? path);
      assert.ok(described, `${method} ${path}: list it in src/http/addresses.ts`);
      const items = [...described.describe(scope)];
      assert.ok(
        items.some(([, item]) => method.toLowerCase() in item),
        `${method} ${path} has no operation in the OpenAPI document`,
      );
    }
    for (const verb of ['get', 'post']) assert.ok(verb in (document.paths['/api/resource/Note'] ?? {}));
    for (const verb of ['get', 'put', 'delete'])
      assert.ok(verb in (document.paths['/api/resource/Note/{name}'] ?? {}));
  });
});

function assertResolves(document: Json): void {
  const text = JSON.stringify(document);
  for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let part: unknown = document;
    for (const key of reference.split('/')) part = (part as Json | undefined)?.[key];
    assert.ok(part, `${reference} leads nowhere`);
  }
}

function assertUniqueIds(document: Json): void {
  const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
}
