import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentUser } from '../../src/access/user.ts';
import { rowsOf } from '../../src/document/document.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument, readDocumentWithRevision } from '../../src/document/verbs/read.ts';
import { describeSite } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { CUSTOMER, DOCTYPES } from './doctypes.ts';

const REGISTRAR = currentUser('registrar@example.com', ['Registrar']);
const DOCTYPES_WITH_REGISTRAR = DOCTYPES.map((doctype) =>
  doctype !== CUSTOMER
    ? doctype
    : {
        ...CUSTOMER,
        permissions: [
          { role: 'Staff', read: 1, write: 1, create: 1, delete: 1 },
          { role: 'Registrar', read: 1, write: 1, delete: 1 },
        ],
      },
);

describeSite('delete', memorySite({ doctypes: DOCTYPES_WITH_REGISTRAR }), (site) => {
  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const customer = (customer_name: string) => create('Customer', { customer_name });
  const remove = (doctype: string, name: string, user = STAFF, ifMatch?: number) =>
    site.run((ctx) => deleteDocument(ctx, doctype, name, { ifMatch }), user);
  const count = async (table: string) => {
    const row = await site.database.reader.get({ text: `select count(*) as n from "${table}"`, values: [] });
    return row?.['n'];
  };

  test('the document and its rows are gone, and on_trash carries what it was', async () => {
    await customer('Acme');
    const rows = await count('Invoice Item');
    const made = await create('Invoice', { customer: 'Acme', items: [{ item: 'A' }, { item: 'B' }] });
    site.events.length = 0;
    await remove('Invoice', made.name);
    assert.deepEqual(site.events, [`Invoice.on_trash ${made.name}`]);
    assert.equal(await count('Invoice Item'), rows);
    await refused(
      site.run((ctx) => readDocument(ctx, 'Invoice', made.name)),
      'DoesNotExistError',
    );
    await refused(remove('Invoice', made.name), 'DoesNotExistError', `Invoice ${made.name} not found`);
  });

  test('without the right, existing and missing are refused alike', async () => {
    await customer('Guarded');
    const one = await refused(remove('Customer', 'Guarded', OUTSIDER), 'PermissionError');
    const other = await refused(remove('Customer', 'Missing', OUTSIDER), 'PermissionError');
    assert.equal(one.message, other.message);
  });

  test('ifMatch is exact', async () => {
    await customer('Revised');
    const { revision } = await site.run((ctx) => readDocumentWithRevision(ctx, 'Customer', 'Revised'));
    await refused(remove('Customer', 'Revised', STAFF, revision + 1), 'PreconditionFailedError');
    await remove('Customer', 'Revised', STAFF, revision);
  });

  test('a linking document blocks and is named; one the user may not read is not', async () => {
    await customer('Linked');
    const made = await create('Invoice', { customer: 'Linked', items: [{ item: 'A' }] });
    await refused(
      remove('Customer', 'Linked'),
      'LinkExistsError',
      `Cannot delete or cancel because Customer Linked is linked with Invoice ${made.name}. You can disable this Customer instead of deleting it.`,
    );
    const hidden = await refused(remove('Customer', 'Linked', REGISTRAR), 'LinkExistsError');
    assert.equal(hidden.message.includes(made.name), false);
    await remove('Invoice', made.name);
    await remove('Customer', 'Linked');
  });

  test('a child row blocks and reports its parent', async () => {
    await customer('Buyer');
    await customer('Shipped To');
    const made = await create('Invoice', {
      customer: 'Buyer',
      items: [
        { item: 'A', ship_to: 'Shipped To' },
        { item: 'B', ship_to: 'Shipped To' },
      ],
    });
    const error = await refused(remove('Customer', 'Shipped To'), 'LinkExistsError');
    assert.match(error.message, new RegExp(`linked with Invoice ${made.name}\\.`));
  });

  test('at most ten links are named', async () => {
    await customer('Popular');
    for (let index = 0; index < 12; index += 1) {
      await create('Invoice', { customer: 'Popular', items: [{ item: 'A' }] });
    }
    const error = await refused(remove('Customer', 'Popular'), 'LinkExistsError', /, more\./);
    assert.equal(error.message.match(/Invoice INV-/g)?.length, 10);
  });

  test('Dynamic Links block, but not those of cancelled documents or to another doctype', async () => {
    await customer('Noted');
    await create('Memo', { name: 'elsewhere', about_type: 'Memo', about: null });
    await create('Memo', { name: 'about it', about_type: 'Customer', about: 'Noted' });
    await refused(remove('Customer', 'Noted'), 'LinkExistsError', /Memo about it/);
    await remove('Memo', 'about it');
    await remove('Customer', 'Noted');
  });

  test('a link blocks whatever the docstatus', async () => {
    await customer('Old');
    const made = await create('Invoice', { customer: 'Old', docstatus: 1, items: [{ item: 'A' }] });
    await site.run((ctx) => cancelDocument(ctx, 'Invoice', made.name));
    await refused(remove('Customer', 'Old'), 'LinkExistsError');
  });

  test('a document that links to itself is deleted', async () => {
    await create('Memo', { name: 'self' });
    await site.database.transaction((connection) =>
      connection.run({
        text: `update "Memo" set "about_type" = 'Memo', "about" = 'self' where "name" = 'self'`,
        values: [],
      }),
    );
    await remove('Memo', 'self');
  });

  test('deleting the last of a series gives its number back, deleting another leaves a gap', async () => {
    await customer('Counted');
    const invoice = () => create('Invoice', { customer: 'Counted', items: [{ item: 'A' }] });
    const [one, two, three] = [await invoice(), await invoice(), await invoice()];
    await remove('Invoice', three.name);
    assert.equal((await invoice()).name, three.name);
    await remove('Invoice', one.name);
    assert.notEqual((await invoice()).name, one.name);
    assert.notEqual(two.name, one.name);
  });

  test('a name taken by renaming is skipped, not an obstacle for ever', async () => {
    const last = await create('Invoice', { customer: 'Counted', items: [{ item: 'A' }] });
    const next = `INV-${String(Number(last.name.slice(4)) + 1).padStart(5, '0')}`;
    await site.database.transaction((connection) =>
      connection.run({
        text: `update "Invoice" set "name" = '${next}' where "name" = '${last.name}'`,
        values: [],
      }),
    );
    const made = await create('Invoice', { customer: 'Counted', items: [{ item: 'A' }] });
    assert.equal(Number(made.name.slice(4)), Number(last.name.slice(4)) + 2);
    const row = rowsOf(made, 'items')[0];
    assert.equal(row?.parent, made.name);
  });
});
