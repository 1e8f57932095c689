/**
 * npm frappe-client, unmodified: JSON left as it is in the query, a slash after the doctype of a list, `{}`
 * with DELETE.
 */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { FrappeClient } from 'frappe-client';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';

interface Ticket {
  name: string;
  subject: string;
  status: string;
}

describeEither('npm frappe-client', { apps: [crm] }, (site) => {
  let client: FrappeClient;
  before(async () => {
    // It writes each request to the console.
    mock.method(console, 'log', () => {});
    client = new FrappeClient(site.url, () =>
      Promise.resolve({ headers: { Authorization: `token ${site.adminKey}` } }),
    );
  });
  after(async () => {
    mock.restoreAll();
  });

  async function create(subject: string): Promise<Ticket> {
    const made = await client.Resource('Ticket').create({ subject });
    assert.equal(made.status, 200, made.message);
    return made.data as Ticket;
  }

  test('creates, reads, updates, lists and deletes documents', async () => {
    const tickets = client.Resource('Ticket');
    const { name } = await create('50% off & more');
    assert.equal(((await tickets.get(name)).data as Ticket).subject, '50% off & more');
    const document = tickets.getDoc(name);
    assert.equal(((await document.update({ status: 'Replied' })) as Ticket).status, 'Replied');
    assert.equal((document.getDocument() as Ticket).status, 'Replied');
    const listed = await tickets.list({
      fields: ['name', 'status'],
      filters: { status: 'Replied' },
      order_by: 'modified desc',
      limit_start: 0,
      limit_page_length: 5,
      as_dict: true,
      debug: false,
    });
    assert.deepEqual(listed.data, [{ name, status: 'Replied' }]);
    assert.equal(await document.delete(), 'ok');
    assert.equal((await tickets.get(name)).status, 404);
  });

  test('lists with a percent sign in a filter, not encoded by the client', async () => {
    await create('ends with 100%');
    const listed = await client.Resource('Ticket').list({ filters: { subject: 'ends with 100%' } });
    assert.equal((listed.data as Ticket[]).length, 1);
  });

  test('calls methods with every verb it has', async () => {
    const frappe = client.Method('frappe');
    assert.equal((await frappe.get('auth.get_logged_user')).message, 'Administrator');
    const { name } = await create('By method');
    const counted = { doctype: 'Ticket', filters: { subject: 'By method' } };
    assert.equal((await frappe.get('client.get_count', counted)).message, 1);
    assert.equal((await frappe.post('client.get_count', counted)).message, 1);
    const set = { doctype: 'Ticket', name, fieldname: 'status', value: 'Closed' };
    assert.equal((await frappe.put('client.set_value', set)).status, 200);
    const removed = await frappe.delete('client.delete', { doctype: 'Ticket', name });
    assert.equal(removed.status, 200, removed.message);
    assert.equal((await frappe.get('client.get_count', counted)).message || 0, 0);
  });

  test('reads the reason of a refusal', async () => {
    const refused = await client.Resource('Ticket').create({});
    assert.deepEqual([refused.ok, refused.status], [false, 417]);
    assert.match(refused.message, /MandatoryError: .*subject/);
    const unknown = await client.Method('frappe').get('client.nothing');
    assert.equal(unknown.status, 404);
  });
});
