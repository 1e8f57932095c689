import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { loadSecret } from '../../src/access/secret.ts';
import { currentUser } from '../../src/access/user.ts';
import type { Hook } from '../../src/document/contract.ts';
import { rowsOf } from '../../src/document/document.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';
import { CUSTOMER, DOCTYPES, INVOICE } from './doctypes.ts';

const WRITER = currentUser('writer@example.com', ['Writer']);
const PERMISSIONS = [
  { role: 'Staff', read: 1, write: 1, create: 1, delete: 1 },
  { role: 'Writer', read: 1, write: 1 },
];
const CONTRACT = {
  name: 'Contract',
  autoname: 'Prompt',
  allow_rename: 1,
  is_submittable: 1,
  fields: [{ fieldname: 'customer', label: 'Customer', fieldtype: 'Link', options: 'Customer', unique: 1 }],
};
const FILE = {
  name: 'File',
  fields: [
    { fieldname: 'attached_to_doctype', fieldtype: 'Data' },
    { fieldname: 'attached_to_name', fieldtype: 'Data' },
  ],
};
const DEFINITIONS = [
  ...DOCTYPES.filter((one) => one !== CUSTOMER),
  { ...CUSTOMER, permissions: PERMISSIONS },
  CONTRACT,
  FILE,
];

describeEither('rename hooks and merge', memorySite({ doctypes: DEFINITIONS }), (site) => {
  const log: string[] = [];
  let beforeRename: Hook = () => {};
  beforeEach(() => {
    log.length = 0;
    beforeRename = () => {};
    const note =
      (hook: string): Hook =>
      (doc, _ctx, change) =>
        void log.push(`${hook} ${change.action} ${change.before?.name} -> ${doc.name}`);
    site.controllers.set('Customer', [
      { beforeRename: (...args) => beforeRename(...args), afterRename: note('afterRename') },
    ]);
    site.controllers.set('*', [{ beforeRename: note('beforeRename'), onTrash: note('onTrash') }]);
  });

  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const customer = (customer_name: string) => create('Customer', { customer_name });
  const read = (doctype: string, name: string) => site.run((ctx) => readDocument(ctx, doctype, name));
  const rename = (doctype: string, from: string, to: string, merge = false, user = STAFF) =>
    site.run((ctx) => renameDocument(ctx, doctype, from, to, { merge }), user);
  const gone = (doctype: string, name: string) => refused(read(doctype, name), 'DoesNotExistError');

  test('hooks run before and after a rename; the one before may choose the name', async () => {
    await customer('Hooked');
    beforeRename = (doc) => {
      doc.name = ` ${doc.name.toUpperCase()} `;
    };
    assert.equal(await rename('Customer', 'Hooked', 'chosen'), 'CHOSEN');
    assert.deepEqual(log, ['beforeRename rename Hooked ->  CHOSEN ', 'afterRename rename Hooked -> CHOSEN']);
    assert.equal((await read('Customer', 'CHOSEN'))['customer_name'], 'CHOSEN');
    await gone('Customer', 'Hooked');
    await customer('Taken');
    beforeRename = (doc) => {
      doc.name = 'Taken';
    };
    await refused(rename('Customer', 'CHOSEN', 'x'), 'ValidationError', /exists/);
    beforeRename = (doc) => {
      doc.name = 'a<b';
    };
    await refused(rename('Customer', 'CHOSEN', 'x'), 'NameError');
  });

  test('a hook that throws leaves the old name', async () => {
    await customer('Stays');
    site.controllers.set('Customer', [
      {
        afterRename: () => {
          throw new ServiceError('ValidationError', 'no');
        },
      },
    ]);
    site.events.length = 0;
    await refused(rename('Customer', 'Stays', 'Goes'), 'ValidationError', 'no');
    assert.equal((await read('Customer', 'Stays')).name, 'Stays');
    assert.deepEqual(site.events, []);
  });

  test('merging moves links, rows, Dynamic Links and attachments, and deletes the old document', async () => {
    await customer('Old');
    await create('Customer', { customer_name: 'Kept', email: 'kept@x.y' });
    const invoice = await create('Invoice', { customer: 'Old', items: [{ item: 'A', ship_to: 'Old' }] });
    await create('Memo', { name: 'about old', about_type: 'Customer', about: 'Old' });
    const file = await create('File', { attached_to_doctype: 'Customer', attached_to_name: 'Old' });
    site.events.length = 0;
    log.length = 0;
    assert.equal(await rename('Customer', 'Old', 'Kept', true), 'Kept');
    assert.deepEqual(site.events, ['Customer.after_rename Kept', 'Customer.on_trash Old']);
    assert.deepEqual(log, [
      'beforeRename merge Old -> Kept',
      'afterRename merge Old -> Kept',
      'onTrash delete Old -> Old',
    ]);
    await gone('Customer', 'Old');
    const kept = await read('Customer', 'Kept');
    assert.deepEqual([kept['customer_name'], kept['email']], ['Kept', 'kept@x.y']);
    const now = await read('Invoice', invoice.name);
    assert.equal(now['customer'], 'Kept');
    assert.equal(rowsOf(now, 'items')[0]?.['ship_to'], 'Kept');
    assert.equal((await read('Memo', 'about old'))['about'], 'Kept');
    assert.equal((await read('File', file.name))['attached_to_name'], 'Kept');
  });

  test('what the old document kept secret goes with it', async () => {
    await create('Memo', { name: 'm-old', token: 'old' });
    await create('Memo', { name: 'm-new', token: 'new' });
    await rename('Memo', 'm-old', 'm-new', true);
    const secret = (name: string) => loadSecret(site, site.database.reader, 'Memo', name, 'token');
    assert.deepEqual([await secret('m-old'), await secret('m-new')], [null, 'new']);
  });

  test('refusals, each leaving everything as it was', async () => {
    await customer('M1');
    await customer('M2');
    await refused(rename('Customer', 'M1', 'Nobody', true), 'ValidationError', /does not exist/);
    await refused(rename('Customer', 'M1', 'M1', true), 'ValidationError', /same/);
    await refused(rename('Customer', 'Nobody', 'M1', true), 'DoesNotExistError');
    await refused(rename('Customer', 'M1', 'M2', true, WRITER), 'PermissionError');
    assert.equal(await rename('Customer', 'M1', 'M1b', false, WRITER), 'M1b');
    const { name } = await create('Invoice', { customer: 'M2', items: [{ item: 'A' }] });
    await refused(rename(INVOICE.name, name, 'x', true), 'ValidationError', /not allowed to be renamed/);
    beforeRename = (doc) => {
      doc.name = 'M1b';
    };
    await customer('M3');
    await refused(rename('Customer', 'M3', 'M2', true), 'ValidationError', /hook/);
  });

  test('a submitted document is not merged away, nor anything into a cancelled one', async () => {
    const contract = async (name: string, docstatus: number) => {
      await create('Contract', { name, docstatus: Math.min(docstatus, 1) });
      if (docstatus === 2) await site.run((ctx) => cancelDocument(ctx, 'Contract', name));
    };
    await contract('draft', 0);
    await contract('submitted', 1);
    await contract('cancelled', 2);
    await refused(rename('Contract', 'submitted', 'draft', true), 'ValidationError', /Submitted/);
    await refused(rename('Contract', 'draft', 'cancelled', true), 'ValidationError', /cancelled/);
    assert.equal(await rename('Contract', 'draft', 'submitted', true), 'submitted');
  });

  test('links that must be unique refuse a merge that would make two alike', async () => {
    await customer('U1');
    await customer('U2');
    await create('Contract', { name: 'c1', customer: 'U1' });
    await create('Contract', { name: 'c2', customer: 'U2' });
    await refused(rename('Customer', 'U1', 'U2', true), 'UniqueValidationError', 'Customer must be unique');
    assert.equal((await read('Contract', 'c1'))['customer'], 'U1');
  });

  test('ten thousand links follow a rename and a merge in one transaction', async () => {
    await customer('Wide');
    await customer('Into');
    const many = Array.from({ length: 10_000 }, () => ({ item: 'A', ship_to: 'Wide' }));
    const { name } = await create('Invoice', { customer: 'Wide', items: many });
    await site.database.transaction(async (connection) => {
      await connection.run({
        text: `insert into "Memo" ("name", "owner", "creation", "modified", "modified_by", "about_type", "about")
            select "name", "owner", "creation", "modified", "modified_by", 'Customer', 'Wide' from "Invoice Item"
            where "ship_to" = 'Wide'`,
        values: [],
      });
    });
    await rename('Customer', 'Wide', 'Wider');
    await rename('Customer', 'Wider', 'Into', true);
    const count = async (text: string) => (await site.database.reader.get({ text, values: [] }))?.['n'];
    assert.equal(await count(`select count(*) as n from "Memo" where "about" = 'Into'`), 10_000);
    assert.equal(await count(`select count(*) as n from "Invoice Item" where "ship_to" = 'Into'`), 10_000);
    assert.equal((await read('Invoice', name))['customer'], 'Into');
  });
});
