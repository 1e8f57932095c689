/** Custom Field and Property Setter: merged into doctypes whose definition belongs to someone else. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { mergedDefinition } from '../../src/site/schema/definitions/load-registry.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

for (const engine of engineOf('customizations')) {
  describe(`customizations on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine, { apps: [crm] });
    });
    after(() => site.stop());

    const path = (doctype: string, name?: string) =>
      `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const create = (doctype: string, body: object) => site.request('POST', path(doctype), { body });
    const change = (doctype: string, name: string, body: object) =>
      site.request('PUT', path(doctype, name), { body });
    const remove = (doctype: string, name: string) => site.request('DELETE', path(doctype, name));
    const read = async (doctype: string, name: string) =>
      (await site.request('GET', path(doctype, name))).body.data;
    const ok = (reply: TestReply) => {
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };
    const refused = (reply: TestReply, status: number, text: string) => {
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.text.includes(text), reply.text);
    };
    const addField = (dt: string, more: object) => create('Custom Field', { dt, fieldtype: 'Data', ...more });
    const set = (doc_type: string, field_name: string | null, property: string, value: string) =>
      create('Property Setter', {
        doctype_or_field: field_name === null ? 'DocType' : 'DocField',
        doc_type,
        field_name,
        property,
        value,
      });

    test("a custom field of an app's doctype works with the next request", async () => {
      const field = ok(
        await addField('Ticket', { label: 'Machine No', reqd: 0, unique: 1, insert_after: 'subject' }),
      );
      assert.equal(field.name, 'Ticket-machine_no');
      const ticket = ok(await create('Ticket', { subject: 'Jam', machine_no: 'M-1' }));
      assert.equal(ticket.machine_no, 'M-1');
      const found = await site.request(
        'GET',
        `${path('Ticket')}?filters=${encodeURIComponent('[["machine_no","=","M-1"]]')}`,
      );
      assert.deepEqual(found.body.data, [{ name: ticket.name }]);
      refused(
        await create('Ticket', { subject: 'Again', machine_no: 'M-1' }),
        417,
        'Machine No must be unique',
      );
      // The definition shown is the stored one; the merged one has the field in its place.
      const stored = await read('DocType', 'Ticket');
      const names = (rows: { fieldname: string }[]) => rows.map((row) => row.fieldname);
      assert.ok(!names(stored.fields).includes('machine_no'));
      const merged = await mergedDefinition(site.site.database.reader, site.site.doctypes, 'Ticket');
      const inForce = names(merged?.['fields'] as { fieldname: string }[]);
      assert.equal(inForce.indexOf('machine_no'), inForce.indexOf('subject') + 1);
      assert.equal(await mergedDefinition(site.site.database.reader, site.site.doctypes, 'Nothing'), null);
    });

    test('a deleted custom field keeps its values for its return', async () => {
      ok(await addField('Ticket', { fieldname: 'shelf', fieldtype: 'Int', default: '7' }));
      const ticket = ok(await create('Ticket', { subject: 'Shelf' }));
      assert.equal(ticket.shelf, 7);
      refused(await change('Custom Field', 'Ticket-shelf', { fieldname: 'board' }), 417, 'Fieldname');
      ok(await change('Custom Field', 'Ticket-shelf', { fieldtype: 'Float' }));
      ok(await change('Ticket', ticket.name, { shelf: 7.5 }));
      refused(await change('Custom Field', 'Ticket-shelf', { fieldtype: 'Int' }), 417, 'holds real values');
      assert.equal((await remove('Custom Field', 'Ticket-shelf')).status, 202);
      assert.ok(!('shelf' in (await read('Ticket', ticket.name))));
      ok(await addField('Ticket', { fieldname: 'shelf', fieldtype: 'Float' }));
      assert.equal((await read('Ticket', ticket.name)).shelf, 7.5);
    });

    test("the server's own doctypes take custom fields and harmless property setters", async () => {
      ok(await addField('User', { fieldname: 'staff_number', unique: 1 }));
      ok(await addField('File', { fieldname: 'origin', fieldtype: 'Select', options: '\nScan\nMail' }));
      const user = ok(
        await create('User', { email: 'anna@example.com', first_name: 'Anna', staff_number: 'S1' }),
      );
      assert.equal(user.staff_number, 'S1');
      ok(await set('User', 'first_name', 'label', 'Given Name'));
      refused(await create('User', { email: 'x@example.com', first_name: '' }), 417, 'Given Name');
      ok(await set('User', null, 'search_fields', 'full_name'));
      for (const [field, property, value] of [
        ['email', 'reqd', '0'],
        ['email', 'unique', '0'],
        ['roles', 'permlevel', '0'],
        ['roles', 'options', 'Has Role'],
        ['new_password', 'fieldtype', 'Data'],
        [null, 'autoname', 'hash'],
        [null, 'allow_rename', '1'],
      ] as const) {
        refused(await set('User', field, property, value), 417, property);
      }
      ok(await set('User', 'last_name', 'reqd', '1'));
      refused(await create('User', { email: 'y@example.com', first_name: 'Y' }), 417, 'Last Name');
      for (const name of ['User-first_name-label', 'User-main-search_fields', 'User-last_name-reqd']) {
        assert.equal((await remove('Property Setter', name)).status, 202);
      }
      ok(await create('User', { email: 'y@example.com', first_name: 'Y' }));
    });

    test('property setters change what an app defines, and its rules hold at once', async () => {
      ok(await set('Ticket', 'subject', 'length', '12'));
      refused(
        await create('Ticket', { subject: 'Far too long a subject' }),
        417,
        'max characters allowed is 12',
      );
      ok(await change('Property Setter', 'Ticket-subject-length', { value: '40' }));
      ok(await create('Ticket', { subject: 'Far too long a subject' }));
      ok(await set('Ticket', null, 'sort_field', 'subject'));
      refused(await set('Ticket', null, 'title_field', 'nowhere'), 417, 'title_field nowhere');
      refused(await set('Ticket', 'subject', 'fieldtype', 'Nothing'), 417, 'Nothing');
      refused(await set('Ticket', 'subject', 'fieldname', 'other'), 417, 'belongs to the definition');
      refused(await set('Ticket', null, 'is_submittable', '1'), 417, 'belongs to the definition');
      refused(await set('Ticket', 'nowhere', 'label', 'x'), 417, 'no field nowhere');
      refused(await set('Ticket', 'subject', 'length', '40'), 409, 'Ticket-subject-length');
      // Deleting a field that a setter rests on is refused with the setter's words.
      ok(await addField('Ticket', { fieldname: 'nick' }));
      ok(await set('Ticket', null, 'title_field', 'nick'));
      refused(await remove('Custom Field', 'Ticket-nick'), 417, 'title_field nick');
      assert.equal((await remove('Property Setter', 'Ticket-main-title_field')).status, 202);
      assert.equal((await remove('Custom Field', 'Ticket-nick')).status, 202);
    });

    test('reserved, duplicate and impossible fields are refused and leave nothing behind', async () => {
      refused(await addField('Ticket', { fieldname: 'owner' }), 417, 'restricted');
      refused(await addField('Ticket', { fieldname: 'Subject' }), 409, 'has a field subject already');
      refused(await addField('Ticket', { fieldname: 'a b' }), 417, 'letters');
      refused(
        await addField('Ticket', { fieldname: 'to', fieldtype: 'Link', options: 'Nowhere' }),
        417,
        'Nowhere',
      );
      refused(await addField('DocType', { fieldname: 'more' }), 417, 'cannot be customized');
      refused(await addField('Webhook Request Log', { fieldname: 'more' }), 417, 'cannot be customized');
      refused(await addField('Nothing', { fieldname: 'more' }), 417, 'Nothing');
      refused(await create('Custom Field', { fieldname: 'more', fieldtype: 'Data' }), 417, 'dt');
      const names = ok(await site.request('GET', `${path('Custom Field')}?fields=["dt","fieldname"]`));
      assert.ok(!names.some((row: { fieldname: string }) => ['owner', 'to', 'more'].includes(row.fieldname)));
    });

    test('a definition may not repeat a custom field; deleting the doctype deletes its custom fields', async () => {
      const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
      const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
      ok(await create('DocType', { name: 'Gadget', module: 'Test', fields, permissions }));
      ok(await addField('Gadget', { fieldname: 'colour' }));
      ok(await set('Gadget', 'colour', 'description', 'Of the case'));
      refused(
        await change('DocType', 'Gadget', {
          fields: [...fields, { fieldname: 'Colour', fieldtype: 'Data' }],
        }),
        417,
        'Custom Field',
      );
      ok(await change('DocType', 'Gadget', { description: 'Still has its custom field' }));
      const gadget = ok(await create('Gadget', { title: 'One', colour: 'red' }));
      assert.equal(gadget.colour, 'red');
      assert.equal((await remove('Gadget', gadget.name)).status, 202);
      assert.equal((await remove('DocType', 'Gadget')).status, 202);
      ok(await create('DocType', { name: 'Gadget', module: 'Test', fields, permissions }));
      assert.ok(!('colour' in ok(await create('Gadget', { title: 'Two', colour: 'red' }))));
    });

    test('customizations survive a restart and a change of the file', async () => {
      await site.site.close();
      const again = await openSite(site.site.config, { apps: [crm], planEverything: true });
      try {
        assert.equal(again.doctypes.get('User').fieldByName.get('staff_number')?.unique, true);
        assert.equal(again.doctypes.get('Ticket').fieldByName.get('subject')?.length, 40);
      } finally {
        await again.close();
      }
    });
  });
}
