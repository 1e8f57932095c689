/** The official JavaScript client, unmodified, doing its whole job against a started server. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FrappeApp } from 'frappe-js-sdk';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';

interface Ticket {
  name: string;
  subject: string;
  status: string;
  priority: string;
  modified: string;
}

describeEither('frappe-js-sdk', { apps: [crm] }, (site) => {
  let app: FrappeApp;
  before(async () => {
    app = new FrappeApp(site.url, { useToken: true, token: () => site.adminKey, type: 'token' });
  });

  test('signs in by token and knows who it is', async () => {
    assert.equal(await app.auth().getLoggedInUser(), 'Administrator');
  });

  test('signs in with a password and signs out', async () => {
    const plain = new FrappeApp(site.url);
    const reply = await plain
      .auth()
      .loginWithUsernamePassword({ username: 'Administrator', password: 'admin-password' });
    assert.equal(reply.message, 'Logged In');
    await plain.auth().logout();
    await assert.rejects(
      plain.auth().loginWithUsernamePassword({ username: 'Administrator', password: 'wrong' }),
      (error: { httpStatus: number }) => error.httpStatus === 401,
    );
  });

  test('creates, reads, updates, counts, lists and deletes documents', async () => {
    const db = app.db();
    const made = await db.createDoc<Partial<Ticket>>('Ticket', { subject: 'From the SDK', priority: 'High' });
    assert.equal((await db.getDoc<Ticket>('Ticket', made.name)).subject, 'From the SDK');
    const updated = await db.updateDoc<Ticket>('Ticket', made.name, { status: 'Replied' });
    assert.equal(updated.status, 'Replied');
    assert.equal(updated.subject, 'From the SDK');
    const rows = await db.getDocList<Ticket>('Ticket', {
      fields: ['name', 'status'],
      filters: [['subject', '=', 'From the SDK']],
      orderBy: { field: 'modified', order: 'desc' },
      limit: 5,
    });
    assert.deepEqual(rows, [{ name: made.name, status: 'Replied' }]);
    assert.equal(await db.getCount('Ticket', [['subject', '=', 'From the SDK']]), 1);
    assert.equal((await db.getLastDoc<Ticket>('Ticket')).name, made.name);
    assert.equal((await db.deleteDoc('Ticket', made.name)).message, 'ok');
    await assert.rejects(
      db.getDoc('Ticket', made.name),
      (error: { httpStatus: number; exception: string }) => error.httpStatus === 404,
    );
  });

  test('reads and sets single values', async () => {
    const db = app.db();
    const made = await db.createDoc<Partial<Ticket>>('Ticket', { subject: 'Values' });
    const value = await db.getValue<{ message: { subject: string } }>('Ticket', 'subject', [
      ['name', '=', made.name],
    ]);
    assert.equal(value.message.subject, 'Values');
    await db.setValue<Ticket>('Ticket', made.name, 'priority', 'Low');
    assert.equal((await db.getDoc<Ticket>('Ticket', made.name)).priority, 'Low');
  });

  test('renames a document and its links follow', async () => {
    const db = app.db();
    await db.createDoc('Customer', { customer_name: 'Before' });
    const ticket = await db.createDoc('Ticket', { subject: 'Linked', customer: 'Before' });
    await db.renameDoc('Customer', 'Before', 'After');
    assert.equal((await db.getDoc<{ customer: string }>('Ticket', ticket.name)).customer, 'After');
  });

  test('submits and cancels', async () => {
    const db = app.db();
    await db.createDoc('Customer', { customer_name: 'SDK Ltd' });
    const invoice = await db.createDoc('Sales Invoice', {
      customer: 'SDK Ltd',
      items: [{ item_code: 'A', qty: 1, rate: 3 }],
    });
    const submitted = await db.submit<{ docstatus: number }>(await db.getDoc('Sales Invoice', invoice.name));
    assert.equal(submitted.docstatus, 1);
    await db.cancel('Sales Invoice', invoice.name);
    assert.equal((await db.getDoc<{ docstatus: number }>('Sales Invoice', invoice.name)).docstatus, 2);
  });

  test('uploads a file and attaches it', async () => {
    const ticket = await app.db().createDoc('Ticket', { subject: 'With file' });
    const { data } = await app.file().uploadFile(new File(['bytes'], 'ünïcode näme.txt'), {
      doctype: 'Ticket',
      docname: ticket.name,
      isPrivate: true,
      folder: 'Home',
    });
    assert.equal(data.message.file_name, 'ünïcode näme.txt');
    assert.equal(data.message.attached_to_name, ticket.name);
    const fetched = await site.request('GET', encodeURI(data.message.file_url));
    assert.equal(fetched.text, 'bytes');
  });

  test('calls methods with every verb and sees errors as the SDK reports them', async () => {
    assert.equal((await app.call().get('ping')).message, 'pong');
    assert.equal(
      (await app.call().post('frappe.client.get_count', { doctype: 'Ticket' })).message >= 1,
      true,
    );
    await assert.rejects(
      app.db().createDoc('Ticket', { status: 'Open' }),
      (error: { httpStatus: number; exception: string }) =>
        error.httpStatus === 417 && /MandatoryError/.test(error.exception),
    );
  });
});
