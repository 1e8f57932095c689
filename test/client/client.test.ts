/** `chancery/client` against a server, typed by the crm's doctypes. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import type { DocTypes } from '../../apps/crm/doctypes.d.ts';
import { type Client, createClient, isChanceryError } from '../../src/client.ts';
import { describeEither } from '../support/describe-site.ts';

describeEither('the client', { apps: [crm] }, (site) => {
  let client: Client<DocTypes>;
  before(async () => {
    client = createClient<DocTypes>({ url: `${site.url}/`, token: site.adminKey });
  });

  test('documents can be created, read, changed and deleted', async () => {
    const made = await client.create('Customer', { customer_name: "50% / Ünï ?#'", credit_limit: 10 });
    assert.equal(made.name, "50% / Ünï ?#'");
    assert.equal(made.phone, undefined);
    const changed = await client.update('Customer', made.name, { phone: '1', notes: null });
    assert.equal(changed.phone, '1');
    assert.equal((await client.read('Customer', made.name)).credit_limit, 10);
    await client.delete('Customer', made.name);
    await assert.rejects(client.read('Customer', made.name), { type: 'DoesNotExistError', status: 404 });
  });

  test('documents with child rows can be submitted and cancelled', async () => {
    await client.create('Customer', { customer_name: 'Rows' });
    const items = [{ item_code: 'A', qty: 2, rate: 3 }];
    const draft = await client.create('Sales Invoice', { customer: 'Rows', items });
    assert.equal(draft.grand_total, 6);
    assert.equal(draft.items[0]?.parent, draft.name);
    assert.equal((await client.submit('Sales Invoice', draft.name)).docstatus, 1);
    assert.equal((await client.cancel('Sales Invoice', draft.name)).docstatus, 2);
    const found = await client.list('Sales Invoice', { filters: [['items.item_code', '=', 'A']] });
    assert.deepEqual(found, [{ name: draft.name }]);
  });

  test('lists select, filter, order and count', async () => {
    for (const [name, limit] of [
      ['L1', 1],
      ['L2', 2],
      ['L3', 3],
    ] as const)
      await client.create('Customer', { customer_name: name, credit_limit: limit, industry: 'Lists' });
    const rows = await client.list('Customer', {
      fields: ['name', 'credit_limit', 'website'],
      filters: { industry: 'Lists', credit_limit: ['>', 1] },
      orderBy: 'credit_limit desc',
    });
    assert.deepEqual(rows, [
      { name: 'L3', credit_limit: 3, website: null },
      { name: 'L2', credit_limit: 2, website: null },
    ]);
    const either = await client.list('Customer', {
      filters: [['industry', '=', 'Lists']],
      orFilters: [
        ['name', 'like', '%1'],
        ['credit_limit', 'in', [3]],
      ],
      orderBy: ['name asc'],
      start: 1,
      limit: 1,
    });
    assert.deepEqual(either, [{ name: 'L3' }]);
    assert.equal(await client.count('Customer', { filters: { industry: 'Lists' } }), 3);
  });

  test('each reads all pages in any order, without repeating a row', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `E${index}`);
    for (const name of names) await client.create('Customer', { customer_name: name, industry: 'Each' });
    const filters = { industry: 'Each' } as const;
    const seen: string[] = [];
    for await (const { name } of client.each('Customer', { filters, limit: 3 })) {
      seen.push(name);
      // What is behind the reader moves no page.
      if (name === 'E2') await client.delete('Customer', 'E0');
    }
    assert.deepEqual(seen, names);
    const rows: object[] = [];
    for await (const row of client.each('Customer', { fields: ['industry'], filters, limit: 2, start: 1 }))
      rows.push(row);
    assert.deepEqual(rows, Array(5).fill({ industry: 'Each' }));
    const backwards: string[] = [];
    const ordered = { filters, orderBy: 'name desc', limit: 4 } as const;
    for await (const { name } of client.each('Customer', ordered)) {
      backwards.push(name);
      if (name === 'E4') await client.delete('Customer', 'E6');
    }
    assert.deepEqual(backwards, names.slice(1).reverse());
    await assert.rejects(client.each('Customer', { limit: 0 }).next(), RangeError);
  });

  test('a revision guards a change, and a key makes a creation happen once', async () => {
    const fields = { customer_name: 'Once' };
    const options = { idempotencyKey: 'once-and-only' };
    const first = await client.create('Customer', fields, options);
    assert.deepEqual(await client.create('Customer', fields, options), first);
    const { doc, revision } = await client.readWithRevision('Customer', 'Once');
    assert.equal(doc.name, 'Once');
    await client.update('Customer', 'Once', { phone: '2' }, { revision });
    const late = client.update('Customer', 'Once', { phone: '3' }, { revision });
    await assert.rejects(late, { type: 'PreconditionFailedError', status: 412 });
  });

  test('methods are called with their verb', async () => {
    assert.equal(
      await client.call<string>('frappe.auth.get_logged_user', {}, { method: 'GET' }),
      'Administrator',
    );
    const args = { doctype: 'Customer', filters: { name: 'Nobody' }, fieldname: ['name'] };
    assert.deepEqual(await client.call('frappe.client.get_value', args), {});
    assert.deepEqual(await client.call('frappe.client.get_value', args, { method: 'GET' }), {});
  });

  test('errors are objects with a type, a status and a message for each problem', async () => {
    const refused = await client.create('Sales Invoice', {}).catch((error: unknown) => error);
    assert.ok(isChanceryError(refused, 'MandatoryError'));
    assert.equal(refused.status, 417);
    assert.ok(refused.messages.length > 0);
    assert.match(refused.messages.join(), /Value missing for Sales Invoice/);
    assert.notEqual(refused.requestId, '');
    assert.ok(!isChanceryError(refused, 'PermissionError') && !isChanceryError(new Error('x')));
    const nobody = createClient<DocTypes>({ url: site.url });
    await assert.rejects(nobody.list('Customer'), { type: 'PermissionError', status: 403 });
    const nowhere = createClient<DocTypes>({ url: 'http://127.0.0.1:1', token: 'a:b' });
    await assert.rejects(nowhere.list('Customer'), { type: 'ConnectionError', status: 0 });
    const page: typeof fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const proxied = createClient<DocTypes>({ url: site.url, fetch: page });
    await assert.rejects(proxied.list('Customer'), { type: 'HTTP 502', status: 502 });
    const aborted = client.list('Customer', { signal: AbortSignal.abort() });
    await assert.rejects(aborted, { name: 'AbortError' });
    await assert.rejects(client.read('Customer', ''), TypeError);
  });

  test('files are uploaded, with and without progress', async () => {
    const plain = await client.upload(new File(['hello'], 'hello.txt'));
    assert.equal(plain.file_name, 'hello.txt');
    assert.equal(await (await fetch(site.url + plain.file_url)).text(), 'hello');
    await client.create('Customer', { customer_name: 'Files' });
    const steps: { sent: number; total: number }[] = [];
    const bytes = new Uint8Array(300_000).fill(65);
    const large = await client.upload(new Blob([bytes]), {
      name: 'large.bin',
      attachTo: { doctype: 'Customer', name: 'Files' },
      isPrivate: true,
      onProgress: (step) => steps.push(step),
    });
    assert.equal(large['attached_to_name'], 'Files');
    assert.equal(large.is_private, 1);
    assert.ok(steps.length > 1);
    assert.ok(steps.every(({ sent }, at) => sent >= (steps[at - 1]?.sent ?? 0)));
    assert.deepEqual(steps.at(-1), { sent: bytes.length, total: bytes.length });
    const nobody = createClient<DocTypes>({ url: site.url });
    for (const more of [{}, { onProgress: () => {} }])
      await assert.rejects(nobody.upload(new Blob(['x']), more), { type: 'PermissionError', status: 403 });
  });
});
