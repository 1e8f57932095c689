import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { rowsOf } from '../../src/document/document.ts';
import { countDocuments, listDocuments, listDocumentsText } from '../../src/document/list/list.ts';
import { presentDocument } from '../../src/document/load/present.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { describeSite } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { wholeText } from '../support/list-text.ts';
import { memorySite, OTHER_STAFF, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { DOCTYPES } from './doctypes.ts';

const DIARY = {
  name: 'Diary',
  autoname: 'field:title',
  permissions: [{ role: 'Staff', read: 1, write: 1, create: 1, if_owner: 1 }],
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
    { fieldname: 'at', label: 'At', fieldtype: 'Time' },
    { fieldname: 'rated', label: 'Rated', fieldtype: 'Float' },
  ],
};

describeSite('read and list', memorySite({ doctypes: [...DOCTYPES, DIARY] }), (site) => {
  before(async () => {
    await create('Customer', { customer_name: 'Acme' });
  });

  const create = (doctype: string, fields: Record<string, unknown>, user = STAFF) =>
    site.run((ctx) => createDocument(ctx, doctype, fields), user);
  const read = (doctype: string, name: string, user = STAFF) =>
    readDocument(readContext(site, user), doctype, name);

  test('the wire form has its keys in order, whole seconds, and no nulls unless asked', async () => {
    const made = await create('Invoice', {
      customer: 'Acme',
      paid_at: '2026-01-02 03:04:05.678',
      items: [{ item: 'A' }],
    });
    const doc = await read('Invoice', made.name);
    const wire = presentDocument(site.doctypes, doc, { nulls: false, precision: 'seconds' });
    assert.deepEqual(Object.keys(wire), [
      ...['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'],
      ...['naming_series', 'customer', 'status', 'due', 'paid_at', 'total', 'doctype', 'items'],
    ]);
    assert.equal(wire['paid_at'], '2026-01-02 03:04:05');
    assert.match(String(wire['modified']), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const [row] = wire['items'] as Record<string, unknown>[];
    assert.deepEqual(Object.keys(row ?? {}), [
      ...['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'],
      ...['item', 'qty', 'rate', 'parent', 'parentfield', 'parenttype', 'doctype'],
    ]);
    const full = presentDocument(site.doctypes, doc, { nulls: true, precision: 'microseconds' });
    assert.equal(full['paid_at'], '2026-01-02 03:04:05.678000');
    assert.equal(full['note'], null);
  });

  test('a row is read with the right to its parent', async () => {
    const made = await create('Invoice', { customer: 'Acme', items: [{ item: 'A' }] });
    const [row] = rowsOf(made, 'items');
    const name = row?.name ?? '';
    assert.equal((await read('Invoice Item', name))['parent'], made.name);
    await refused(read('Invoice Item', name, OUTSIDER), 'PermissionError');
    await refused(read('Invoice Item', 'missing'), 'DoesNotExistError');
  });

  test('if_owner: others are refused, lists and counts show the own', async () => {
    await create('Diary', { title: 'mine', at: '7:05' });
    await create('Diary', { title: 'theirs' }, OTHER_STAFF);
    const theirs = await refused(read('Diary', 'theirs'), 'PermissionError');
    assert.equal((await read('Diary', 'mine')).owner, STAFF.name);
    // The same words: which names exist is not for everyone.
    assert.equal((await refused(read('Diary', 'missing'), 'PermissionError')).message, theirs.message);
    await refused(read('Diary', 'missing', OUTSIDER), 'PermissionError');
    const ctx = readContext(site, STAFF);
    assert.deepEqual(await listDocuments(ctx, 'Diary', { fields: ['name', 'at'] }), [
      { name: 'mine', at: '07:05:00' },
    ]);
    assert.equal(await countDocuments(ctx, 'Diary', {}), 1);
    assert.equal(await countDocuments(readContext(site, ADMINISTRATOR), 'Diary', {}), 2);
    await assert.rejects(listDocuments(readContext(site, OUTSIDER), 'Diary', {}), {
      type: 'PermissionError',
    });
  });

  test('JSON of the database and rows of objects say the same', async () => {
    const ctx = readContext(site, ADMINISTRATOR);
    for (const parameters of [
      { fields: ['*'] },
      { fields: ['name', 'rated', 'creation'], order_by: 'name desc' },
    ]) {
      const rows = await listDocuments(ctx, 'Diary', parameters);
      assert.deepEqual(JSON.parse(await wholeText(listDocumentsText(ctx, 'Diary', parameters))), rows);
      assert.equal(rows.length, 2);
    }
    const arrays = await listDocumentsText(ctx, 'Diary', { as_dict: '0', order_by: 'name asc' });
    assert.equal(arrays, '[["mine"],["theirs"]]');
  });

  test("controllers' row filters narrow lists and cannot widen them", async () => {
    const other = sql`"title" = ${'mine'} or "title" = ${'theirs'}`;
    site.controllers.set('Diary', [{ rowFilter: () => other }]);
    const names = (user = STAFF) => listDocuments(readContext(site, user), 'Diary', {});
    assert.deepEqual(await names(), [{ name: 'mine' }]);
    assert.equal((await names(ADMINISTRATOR)).length, 2);
    site.controllers.delete('Diary');
  });
});
