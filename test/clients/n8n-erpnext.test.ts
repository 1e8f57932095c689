/**
 * The ERPNext node of n8n: the requests of n8n-nodes-base 2.41.2 (dist/nodes/ERPNext/ERPNext.node.js and
 * GenericFunctions.js, dist/credentials/ERPNextApi.credentials.js), as they were recorded from the node itself. The
 * package is 176 MB, so that it is not installed for them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';

type Query = Record<string, string | number>;

describeEither("n8n's ERPNext node", { apps: [crm] }, (site) => {
  /** Path as the node puts it together, query as n8n's axios writes it (qs), a JSON type with and without a body. */
  async function send(method: string, path: string, body?: object, query: Query = {}): Promise<TestReply> {
    const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const reply = await site.request(
      method,
      [path, ...(pairs.length > 0 ? [pairs.join('&')] : [])].join('?'),
      {
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
    );
    // The node tells its user that the subdomain is wrong, or the DocType unavailable.
    assert.ok(![307, 403].includes(reply.status), reply.text);
    return reply;
  }

  /** Return All: pages of 1000 rows in steps of 999, until one is empty. */
  async function returnAll(path: string, query: Query = {}): Promise<{ name: string }[]> {
    const rows: { name: string }[] = [];
    for (let start = 0; ; start += 999) {
      const { body } = await send('GET', path, undefined, {
        ...query,
        limit_start: start,
        limit_page_length: 1000,
      });
      rows.push(...body.data);
      if (body.data.length === 0) return rows;
    }
  }

  test('tests its credentials', async () => {
    const reply = await site.request('GET', '/api/method/frappe.auth.get_logged_user');
    assert.equal(reply.body.message, 'Administrator');
    const wrong = await site.request('GET', '/api/method/frappe.auth.get_logged_user', {
      as: 'token admin-key:wrong',
    });
    assert.deepEqual([wrong.status, wrong.body.message], [401, undefined]);
  });

  test('offers doctypes and their fields', async () => {
    const names = (await returnAll('/api/resource/DocType')).map((row) => row.name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes('Sales Invoice'));
    const { body } = await send('GET', '/api/resource/DocType/Sales%20Invoice');
    const fields = body.data.fields.map((field: { fieldname: string }) => field.fieldname);
    assert.ok(fields.includes('customer'));
    assert.ok(body.data.fields.every((field: object) => 'label' in field));
  });

  test('creates, gets, updates and deletes: text for every value, names as they are', async () => {
    const name = 'Näme & 50% of/all';
    const create = { customer_name: name, credit_limit: '1000', disabled: '1' };
    const made = await send('POST', '/api/resource/Customer', create);
    assert.deepEqual([made.status, made.body.data.credit_limit, made.body.data.disabled], [200, 1000, 1]);
    const path = `/api/resource/Customer/${name}`;
    assert.equal((await send('GET', path)).body.data.name, name);
    assert.equal((await send('PUT', path, { disabled: '0' })).body.data.disabled, 0);
    const deleted = await send('DELETE', path);
    assert.deepEqual([deleted.status, deleted.body.message], [202, 'ok']);
    assert.equal((await send('GET', path)).status, 404);
  });

  test('filters, with the doctype percent-encoded inside the JSON', async () => {
    await send('POST', '/api/resource/Customer', { customer_name: 'Filtered' });
    const items = [{ item_code: 'A', qty: 1, rate: 5 }];
    await send('POST', '/api/resource/Sales%20Invoice', { customer: 'Filtered', items });
    const filters = JSON.stringify([
      ['Sales%20Invoice', 'customer', '=', 'Filtered'],
      ['Sales%20Invoice', 'grand_total', '>=', '5'],
    ]);
    const fields = JSON.stringify(['customer', 'grand_total']);
    const listed = await send('GET', '/api/resource/Sales%20Invoice', undefined, {
      fields,
      filters,
      limit_page_length: 5,
      limit_start: 0,
    });
    assert.deepEqual(listed.body.data, [{ customer: 'Filtered', grand_total: 5 }]);
  });

  test('returns all: each document, the last one of a page twice', async () => {
    const docs = Array.from({ length: 1001 }, (_, at) => ({ doctype: 'Lead', lead_name: `Lead ${at}` }));
    for (let at = 0; at < docs.length; at += 200) {
      const body = { docs: docs.slice(at, at + 200) };
      await site.call('frappe.client.insert_many', body);
    }
    const rows = await returnAll('/api/resource/Lead', { fields: '["*"]' });
    assert.equal(new Set(rows.map((row) => row.name)).size, 1001);
    // 1000, then the rows from 999 on.
    assert.equal(rows.length, 1002);
  });
});
