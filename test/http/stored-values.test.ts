/** What is stored stands: through stricter rules, amendments, renames of what links to itself, and restoring. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineApp, defineController } from '../../src/index.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { startTestSite } from '../support/site.ts';

const RIGHTS = { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 };
const TICKET = {
  name: 'Ticket Sold',
  autoname: 'TS-.###',
  is_submittable: 1,
  fields: [
    { fieldname: 'kind', label: 'Kind', fieldtype: 'Select', options: 'Adult\nChild\nDog' },
    { fieldname: 'seats', label: 'Seats', fieldtype: 'Int', reqd: 1 },
    { fieldname: 'note', label: 'Note', fieldtype: 'Data' },
    { fieldname: 'guests', label: 'Guests', fieldtype: 'Table', options: 'Ticket Guest' },
  ],
  permissions: [{ ...RIGHTS, submit: 1, cancel: 1, amend: 1 }],
};
const PASS = {
  name: 'Pass',
  is_submittable: 1,
  fields: [{ fieldname: 'kind', label: 'Kind', fieldtype: 'Select', options: 'Adult\nChild\nDog' }],
  permissions: TICKET.permissions,
};
const GUEST = {
  name: 'Ticket Guest',
  istable: 1,
  fields: [
    { fieldname: 'kind', label: 'Kind', fieldtype: 'Select', options: 'Adult\nChild\nDog' },
    { fieldname: 'age', label: 'Age', fieldtype: 'Int', reqd: 1 },
  ],
};
const MEMBER = {
  name: 'Club Member',
  autoname: 'Prompt',
  allow_rename: 1,
  fields: [{ fieldname: 'sponsor', label: 'Sponsor', fieldtype: 'Link', options: 'Club Member' }],
  permissions: [RIGHTS],
};

describeEngines('stored values', (engine) => {
  const looking = defineController<{ note: string; guests: unknown }>({
    validate(doc) {
      if (doc.note === 'break the table') doc.guests = 'no rows';
    },
    beforeCancel() {},
  });
  const app = defineApp({ name: 'looking', controllers: { 'Ticket Sold': looking } });
  const site = useStarted(() => startTestSite(engine, { apps: [app] }));
  before(async () => {
    // With hooks before the rows, what they set is looked at; without, only what was sent.
    for (const body of [GUEST, TICKET, MEMBER, PASS]) await ok('POST', '/api/resource/DocType', body);
  });

  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  async function ok(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await site.request(method, path, { body });
    assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
    return reply.body.data ?? reply.body.message;
  }
  const sold = (name = '') => `/api/resource/Ticket Sold${name === '' ? '' : `/${name}`}`;
  const member = (name = '') => `/api/resource/Club Member${name === '' ? '' : `/${name}`}`;
  const rename = (old_name: string, new_name: string, merge = false) =>
    ok('POST', '/api/method/frappe.client.rename_doc', { doctype: 'Club Member', old_name, new_name, merge });
  async function restore(doctype: string, name: string) {
    const filters = encodeURIComponent(
      JSON.stringify({ deleted_doctype: doctype, deleted_name: name, restored: 0 }),
    );
    const [record] = await ok('GET', `/api/resource/Deleted Document?filters=${filters}`);
    return ok('POST', '/api/method/chancery.restore_document', { name: record.name });
  }
  async function payload(event: string, name: string) {
    const filters = encodeURIComponent(JSON.stringify({ event, reference_document: name }));
    const fields = encodeURIComponent('["name"]');
    const [log] = await ok('GET', `/api/resource/Webhook Request Log?filters=${filters}&fields=${fields}`);
    const { data } = await ok('GET', `/api/resource/Webhook Request Log/${log.name}`);
    return JSON.parse(data);
  }

  test('a required number that is 0 is amended and restored as it is', async () => {
    const made = await ok('POST', sold(), { seats: 0, guests: [{ age: 0 }], docstatus: 1 });
    await ok('PUT', sold(made.name), { docstatus: 2 });
    const draft = await ok('POST', '/api/method/chancery.amend_document', {
      doctype: 'Ticket Sold',
      name: made.name,
    });
    assert.deepEqual([draft.name, draft.seats, draft.guests[0].age], [`${made.name}-1`, 0, 0]);
    await ok('DELETE', sold(draft.name));
    assert.equal((await restore('Ticket Sold', draft.name)).name, draft.name);
    assert.equal((await ok('GET', sold(draft.name))).seats, 0);
  });

  test('values that a stricter field would refuse do not stop what leaves them alone', async () => {
    const strict = { kind: 'Dog', seats: 1, guests: [{ kind: 'Dog', age: 3 }] };
    const submitted = await ok('POST', sold(), { ...strict, docstatus: 1 });
    const draft = await ok('POST', sold(), strict);
    const pass = await ok('POST', '/api/resource/Pass', { kind: 'Dog', docstatus: 1 });
    for (const doc_type of ['Ticket Sold', 'Ticket Guest', 'Pass']) {
      await ok('POST', '/api/resource/Property Setter', {
        doctype_or_field: 'DocField',
        doc_type,
        field_name: 'kind',
        property: 'options',
        property_type: 'Text',
        value: 'Adult\nChild',
      });
    }
    await ok('PUT', sold(submitted.name), { docstatus: 2 });
    assert.equal((await ok('PUT', sold(draft.name), { note: 'kept' })).kind, 'Dog');
    await ok('PUT', `/api/resource/Pass/${pass.name}`, { docstatus: 2 });
    // What is new obeys, an amendment included, whether or not the doctype has hooks.
    const amend = (doctype: string, name: string, doc?: object) =>
      site.request('POST', '/api/method/chancery.amend_document', { body: { doctype, name, doc } });
    for (const refused of [
      await site.request('POST', sold(), { body: strict }),
      await amend('Ticket Sold', submitted.name),
      await amend('Pass', pass.name),
    ]) {
      assert.equal(refused.status, 417, refused.text);
      assert.match(refused.body.exception, /Kind cannot be "Dog"/);
    }
    assert.equal((await amend('Pass', pass.name, { kind: 'Child' })).status, 200);
  });

  test('a hook that puts something else into a child table loses no rows', async () => {
    const { name } = await ok('POST', sold(), { seats: 1, guests: [{ age: 1 }, { age: 2 }] });
    const reply = await site.request('PUT', sold(name), { body: { note: 'break the table' } });
    assert.equal(reply.status, 417, reply.text);
    assert.match(reply.body.exception, /Value for Guests must be a list of rows/);
    assert.equal((await ok('GET', sold(name))).guests.length, 2);
  });

  test('a document that links to itself is renamed and merged in events, too, and restored', async () => {
    await ok('POST', '/api/resource/Webhook', {
      webhook_doctype: 'Club Member',
      webhook_docevent: 'after_rename',
      request_url: 'http://127.0.0.1:9/',
    });
    await ok('POST', member(), { name: 'Ann' });
    await ok('PUT', member('Ann'), { sponsor: 'Ann' });
    await rename('Ann', 'Anna');
    assert.equal((await payload('after_rename', 'Anna')).sponsor, 'Anna');
    await ok('POST', member(), { name: 'Bea', sponsor: 'Anna' });
    await rename('Anna', 'Bea', true);
    assert.equal((await payload('after_rename', 'Bea')).sponsor, 'Bea');
    assert.equal((await ok('GET', member('Bea'))).sponsor, 'Bea');
    assert.equal((await restore('Club Member', 'Anna')).name, 'Anna');
    assert.equal((await ok('GET', member('Anna'))).sponsor, 'Anna');
  });
});
