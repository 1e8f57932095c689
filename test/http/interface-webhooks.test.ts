/** Sections 2.3, 2.4, 4.10, 4.11, 6 and 8 of the interface: webhooks from creation to the log, on both engines. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { type Received, WebhookReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const MASK = '**********';

describeEither('webhooks of the interface', { apps: [crm], worker: true }, (site) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.start();
  });
  after(async () => {
    await receiver.close();
  });

  const create = async (doctype: string, body: Record<string, unknown>) => {
    return site.make(doctype, body);
  };
  const webhook = (doctype: string, event: string, more: Record<string, unknown> = {}) =>
    create('Webhook', {
      webhook_doctype: doctype,
      webhook_docevent: event,
      request_url: `${receiver.url}/${event}`,
      request_method: 'POST',
      enabled: 1,
      ...more,
    });
  const of = (path: string) => (got: readonly Received[]) => got.filter((one) => one.path.endsWith(path));
  const log = async (name: string, fields: readonly string[], order = 'creation desc') => {
    const query = new URLSearchParams({
      fields: JSON.stringify(fields),
      filters: JSON.stringify([['webhook', '=', name]]),
      order_by: order,
    });
    return site.ok('GET', `/api/resource/Webhook Request Log?${query}`);
  };

  test('2.3 the secret is generated, shown once at creation, and replaced on request', async () => {
    const made = await webhook('Contact', 'after_insert');
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await site.request('GET', `/api/resource/Webhook/${made.name}`);
    assert.equal(read.body.data.secret, MASK);
    const again = await site.call('chancery.webhook.regenerate_secret', { webhook: made.name });
    assert.match(again.secret, /^whsec_/);
    assert.notEqual(again.secret, made.secret);
    await create('Contact', { first_name: 'Ada' });
    const [got] = of('after_insert')(await receiver.until((all) => of('after_insert')(all).length > 0));
    assert.ok(got);
    const expected = createHmac('sha256', again.secret).update(got.body).digest('base64');
    assert.equal(got.headers['x-service-webhook-signature'], expected);
    await site.request('DELETE', `/api/resource/Webhook/${made.name}`);
    receiver.received.length = 0;
  });

  test('2.3 the secret is masked in every later reply, in lists and in versions', async () => {
    const { name, secret } = await webhook('Contact', 'on_update');
    const path = `/api/resource/Webhook/${name}`;
    const own = 'a secret of my own';
    const updated = await site.request('PUT', path, { body: { secret: own, timeout: 20 } });
    assert.equal(updated.body.data.secret, MASK);
    const { body } = await site.request('POST', '/api/method/chancery.webhook.regenerate_secret', {
      body: { webhook: name },
    });
    await site.request('PUT', path, { body: { timeout: 25 } });

    const filters = encodeURIComponent(JSON.stringify([['name', '=', name]]));
    const ofIt = encodeURIComponent(
      JSON.stringify([
        ['ref_doctype', '=', 'Webhook'],
        ['docname', '=', name],
      ]),
    );
    const replies = [
      await site.request('GET', path),
      await site.request('GET', `/api/resource/Webhook?filters=${filters}&fields=["*"]`),
      await site.request('GET', `/api/method/frappe.client.get?doctype=Webhook&name=${name}`),
      await site.request('GET', `/api/resource/Version?filters=${ofIt}&fields=["*"]`),
    ];
    for (const { status, text } of replies) {
      assert.equal(status, 200, text);
      for (const known of [secret, own, body.message.secret]) assert.ok(!text.includes(known), text);
    }
    assert.equal(replies[1]?.body.data[0].secret, MASK);
    assert.match(replies[3]?.text ?? '', /timeout.*15.*20/);
  });

  test('2.3 doctype, event and address are required and checked', async () => {
    for (const broken of [
      { webhook_doctype: undefined },
      { webhook_docevent: undefined },
      { request_url: undefined },
      { webhook_docevent: 'on_moon' },
      { webhook_doctype: 'No Such Doctype' },
      { request_url: 'ftp://example.com/x' },
      { request_method: 'BREW' },
      { webhook_headers: [{ key: 'Bad\r\nHeader', value: 'x' }] },
      { webhook_data: [{ fieldname: 'no_such_field' }] },
    ]) {
      const reply = await site.request('POST', '/api/resource/Webhook', {
        body: {
          webhook_doctype: 'Contact',
          webhook_docevent: 'after_insert',
          request_url: receiver.url,
          request_method: 'POST',
          enabled: 1,
          ...broken,
        },
      });
      assert.equal(reply.status, 417, `${JSON.stringify(broken)}: ${reply.text}`);
    }
  });

  test('4.10 webhooks are read, listed, updated and deleted as documents', async () => {
    const made = await webhook('Contact', 'on_trash');
    const path = `/api/resource/Webhook/${made.name}`;
    const updated = await site.request('PUT', path, { body: { enabled: 0 } });
    assert.equal(updated.body.data.enabled, 0);
    const listed = await site.request(
      'GET',
      `/api/resource/Webhook?filters=${encodeURIComponent('[["enabled","=",0]]')}`,
    );
    assert.deepEqual(listed.body.data, [{ name: made.name }]);
    await site.ok('DELETE', path);
    assert.equal((await site.request('GET', path)).status, 404);
  });

  test('6.2, 6.3 a delivery carries the chosen fields, the extra headers and signatures that verify', async () => {
    const made = await webhook('Ticket', 'after_insert', {
      webhook_headers: [{ key: 'X-Team', value: 'blue' }],
      webhook_data: [{ fieldname: 'name' }, { fieldname: 'subject' }],
    });
    const ticket = await create('Ticket', { subject: 'Café ✓' });
    const [got] = of('after_insert')(await receiver.until((all) => of('after_insert')(all).length > 0));
    assert.ok(got);
    assert.equal(got.method, 'POST');
    assert.equal(got.headers['content-type'], 'application/json');
    assert.equal(got.headers['x-team'], 'blue');
    const body = got.body.toString();
    assert.deepEqual(JSON.parse(body), { name: ticket.name, subject: 'Café ✓' });
    const expected = createHmac('sha256', made.secret).update(got.body).digest('base64');
    assert.equal(got.headers['x-service-webhook-signature'], expected);
    new Webhook(made.secret).verify(body, got.headers as Record<string, string>);
    await site.request('DELETE', `/api/resource/Webhook/${made.name}`);
  });

  test('6.1 each event fires when the interface says, with the full document, and only then', async () => {
    const events = ['after_insert', 'on_update', 'on_submit', 'on_cancel', 'on_trash'];
    for (const event of events) {
      await webhook('Sales Invoice', event, { request_url: `${receiver.url}/invoice/${event}` });
    }
    await create('Customer', { customer_name: 'Hooked Ltd' });
    const invoice = await create('Sales Invoice', {
      customer: 'Hooked Ltd',
      items: [{ item_code: 'A', qty: 2, rate: 3 }],
    });
    const path = `/api/resource/Sales Invoice/${invoice.name}`;
    await site.request('PUT', path, { body: { due_date: '2027-05-01' } });
    await site.request('PUT', path, { body: { docstatus: 1 } });
    await site.request('PUT', path, { body: { docstatus: 2 } });
    await site.ok('DELETE', path);
    const isInvoice = (one: Received) => one.path.includes('/invoice/');
    await receiver.until((all) => all.filter(isInvoice).length >= events.length);
    const fired = receiver.received.filter(isInvoice);
    assert.deepEqual(fired.map((one) => one.path.split('/').at(-1)).sort(), [...events].sort());
    // The log is written with the change, so it also shows events whose requests are still on their way.
    const logged = await site.request(
      'GET',
      `/api/resource/Webhook Request Log?filters=[["reference_document","=","${invoice.name}"]]`,
    );
    assert.equal(logged.body.data.length, events.length);
    for (const one of fired) {
      const doc = JSON.parse(one.body.toString());
      assert.equal(doc.name, invoice.name);
      assert.equal(doc.doctype, 'Sales Invoice');
      assert.equal(doc.items[0].item_code, 'A');
    }
  });

  test('6.1 a disabled webhook and a refused change send nothing', async () => {
    const off = await webhook('Lead', 'after_insert', {
      enabled: 0,
      request_url: `${receiver.url}/off`,
    });
    const on = await webhook('Lead', 'after_insert', { request_url: `${receiver.url}/on` });
    const refused = await site.request('POST', '/api/resource/Lead', {
      body: { status: 'No such status' },
    });
    assert.equal(refused.status, 417);
    await create('Lead', { lead_name: 'Ada' });
    await receiver.until((all) => of('/on')(all).length === 1);
    assert.equal(of('/off')(receiver.received).length, 0);
    assert.equal((await log(off.name, ['name'])).length, 0);
    assert.equal((await log(on.name, ['name'])).length, 1);
  });

  test('2.4, 4.11, 6.2 a failed attempt is logged and retried; filters and order work on the log', async () => {
    receiver.decide = (one) => (one.path.endsWith('/failing') ? 500 : 'ok');
    const made = await webhook('Customer', 'after_insert', {
      request_url: `${receiver.url}/failing`,
      max_retries: 3,
    });
    await create('Customer', { customer_name: 'First Ltd' });
    await receiver.until((all) => of('/failing')(all).length === 1);
    const fields = ['name', 'webhook', 'status', 'response_status', 'next_retry', 'creation'];
    // The log is settled after the receiver has answered.
    const [entry] = await until(
      () => log(made.name, fields),
      ([row]) => row?.status === 'Failed',
    );
    assert.equal(entry.webhook, made.name);
    assert.equal(entry.response_status, 500);
    assert.ok(entry.next_retry > entry.creation);
    const full = await site.request('GET', `/api/resource/Webhook Request Log/${entry.name}`);
    assert.equal(full.body.data.attempts.length, 1);
    assert.equal(full.body.data.attempts[0].response_status, 500);
    receiver.decide = null;
  });

  test('2.4, 6.2 a successful delivery is logged', async () => {
    const made = await webhook('Customer', 'after_insert');
    const doc = await create('Customer', { customer_name: 'Delivered Ltd' });
    const [entry, ...others] = await until(
      () => log(made.name, ['*']),
      ([row]) => row?.status === 'Delivered',
    );
    assert.deepEqual(others, []);
    assert.equal(entry.webhook, made.name);
    assert.match(entry.creation, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok(entry.creation >= doc.creation, `${entry.creation} after ${doc.creation}`);
    assert.deepEqual(
      [entry.reference_document, entry.attempt, entry.response_status, entry.error, entry.next_retry],
      ['Delivered Ltd', 1, 200, null, null],
    );
    const full = await site.request('GET', `/api/resource/Webhook Request Log/${entry.name}`);
    assert.deepEqual(
      full.body.data.attempts.map((one: Record<string, unknown>) => [
        one['attempt'],
        one['response_status'],
        one['response'],
      ]),
      [[1, 200, 'thank you']],
    );
    await site.request('DELETE', `/api/resource/Webhook/${made.name}`);
  });

  test('4.11 order_by orders the entries of the log', async () => {
    const made = await webhook('Customer', 'after_insert');
    const names = ['Zeta Ltd', 'Alpha Ltd', 'Mid Ltd', 'Beta Ltd'];
    for (const customer_name of names) await create('Customer', { customer_name });
    const logged = async (order: string) => {
      const entries = await log(made.name, ['reference_document'], order);
      return entries.map((entry: Record<string, unknown>) => entry['reference_document']);
    };
    assert.deepEqual(await logged('creation asc'), names);
    assert.deepEqual(await logged('creation desc'), names.toReversed());
    assert.deepEqual(await logged('reference_document asc'), names.toSorted());
  });
});
