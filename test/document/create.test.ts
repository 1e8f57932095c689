import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { describeSite } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { DOCTYPES } from './doctypes.ts';

describeSite('create', memorySite({ doctypes: DOCTYPES }), (site, engine) => {
  before(async () => {
    await site.run((ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme' }));
  });

  const create = (doctype: string, fields: Record<string, unknown>, user = STAFF) =>
    site.run((ctx) => createDocument(ctx, doctype, fields), user);
  const read = (doctype: string, name: string) => site.run((ctx) => readDocument(ctx, doctype, name));

  test('the reply is what a read shows', async () => {
    const made = await create('Invoice', {
      customer: 'Acme',
      total: '12.50',
      paid_at: '2026-01-02T03:04:05',
      items: [{ item: 'A', qty: '3', rate: 0.1 + 0.2 }, { item: 'Ünïcode ✓ "quoted"\n' }],
    });
    assert.deepEqual(await read('Invoice', made.name), made);
    assert.equal(made['total'], 12.5);
    assert.equal(made['paid_at'], '2026-01-02 03:04:05.000000');
  });

  test('defaults fill what is absent or null: literal, Today, __user, first option', async () => {
    const made = await create('Invoice', { customer: 'Acme', due: null, items: [{ item: 'A', qty: null }] });
    assert.equal(made['status'], 'Open');
    assert.equal(made['due'], '2026-11-21');
    assert.equal(made['naming_series'], 'INV-');
    assert.deepEqual(
      rowsOf(made, 'items').map((row) => row['qty']),
      [1],
    );
    assert.equal((await create('Memo', { name: 'by default' }))['author'], STAFF.name);
    assert.equal((await create('Memo', { name: 'by hand', author: '' }))['author'], '');
  });

  test('what the server owns is not taken from the body', async () => {
    const made = await create('Memo', {
      name: 'owned',
      doctype: 'Customer',
      owner: 'Administrator',
      creation: '1999-01-01 00:00:00',
      modified: '1999-01-01 00:00:00',
      modified_by: 'Administrator',
      parent: 'x',
      _revision: 99,
      no_such_field: 1,
    });
    assert.deepEqual(
      [made.doctype, made.owner, made.modified_by, made.creation.slice(0, 4)],
      ['Memo', STAFF.name, STAFF.name, '2026'],
    );
    assert.equal('no_such_field' in made, false);
    assert.equal('parent' in made, false);
  });

  test('__proto__ and constructor are unknown keys like any other', async () => {
    const body = JSON.parse(
      '{"name": "proto", "__proto__": {"author": "evil"}, "constructor": 1, "toString": 1}',
    );
    const made = await create('Memo', body);
    assert.equal(made['author'], STAFF.name);
    assert.equal(Object.hasOwn(made, 'constructor'), false);
  });

  test('all missing required fields are named together', async () => {
    const error = await refused(
      create('Invoice', { items: [{ item: ' ' }, { item: 'x' }, { item: '<p> </p>' }] }),
      'MandatoryError',
      /^\[Invoice, INV-\d{5}\]: customer, item, item$/,
    );
    assert.deepEqual(error.details.messages, [
      'Error: Value missing for Invoice: Customer',
      'Error: Invoice Item Row #1: Value missing for: Item',
      'Error: Invoice Item Row #3: Value missing for: Item',
    ]);
    const empty = await refused(create('Invoice', { customer: 'Acme' }), 'MandatoryError');
    assert.deepEqual(empty.details.messages, ['Error: Data missing in table: Items']);
  });

  test('all bad values are named together, the first decides the type', async () => {
    const error = await refused(
      create('Invoice', {
        customer: 'Acme',
        due: 'soon',
        total: 'much',
        items: [{ item: 'A' }, { item: 'B', qty: -1 }],
      }),
      'ValidationError',
      /Due Date/,
    );
    assert.equal(error.details.messages?.length, 3);
    assert.match(error.details.messages?.[2] ?? '', /^Row #2: .*Quantity/);
    assert.deepEqual(error.details.places, [
      { fieldname: 'due' },
      { fieldname: 'total' },
      { fieldname: 'qty', table: 'items', row: 2 },
    ]);
    await refused(
      create('Invoice', { customer: 'Acme', items: [{ item: 'B', qty: -1 }] }),
      'NonNegativeError',
    );
  });

  test('a bad value of a required field is wrong, not missing', async () => {
    await refused(create('Invoice', { customer: ['Acme'], items: [{ item: 'A' }] }), 'ValidationError');
  });

  test('missing link targets are gathered, child rows by number', async () => {
    const error = await refused(
      create('Invoice', { customer: 'Nobody', items: [{ item: 'A' }, { item: 'B', ship_to: 'Nowhere' }] }),
      'LinkValidationError',
      'Could not find Customer: Nobody, Row #2: Ship To: Nowhere',
    );
    assert.deepEqual(error.details.messages, [
      'Could not find Customer: Nobody',
      'Could not find Row #2: Ship To: Nowhere',
    ]);
    assert.deepEqual(error.details.places, [
      { fieldname: 'customer' },
      { fieldname: 'ship_to', table: 'items', row: 2 },
    ]);
  });

  test('a Dynamic Link needs its doctype and its document', async () => {
    await refused(create('Memo', { name: 'd1', about: 'Acme' }), 'ValidationError', /About Type/);
    await refused(create('Memo', { name: 'd2', about_type: 'Nix', about: 'x' }), 'LinkValidationError');
    await refused(
      create('Memo', { name: 'd3', about_type: 'Customer', about: 'Nobody' }),
      'LinkValidationError',
      'Could not find About: Nobody',
    );
    await create('Memo', { name: 'd4', about_type: 'Customer', about: 'Acme' });
  });

  test('a bad link beats a missing field, permission beats both', async () => {
    const body = { customer: 'Nobody' };
    await refused(create('Invoice', body), 'LinkValidationError');
    await refused(create('Invoice', body, OUTSIDER), 'PermissionError');
  });

  test('a child table must be a list of objects', async () => {
    for (const items of ['A', 1, { item: 'A' }, ['A'], [null], [[]]]) {
      await refused(create('Invoice', { customer: 'Acme', items }), 'ValidationError');
    }
  });

  test('a taken name and a taken unique value are refused, blanks are not', async () => {
    await create('Customer', { customer_name: 'Twice', email: 'a@b.c' });
    const taken = await refused(
      create('Customer', { customer_name: 'Twice' }),
      'DuplicateEntryError',
      'Customer Twice already exists',
    );
    assert.equal(taken.status, 409);
    await refused(
      create('Customer', { customer_name: 'Other', email: 'a@b.c' }),
      'UniqueValidationError',
      'Email must be unique',
    );
    await create('Customer', { customer_name: 'Blank 1', email: '' });
    await create('Customer', { customer_name: 'Blank 2', email: '' });
  });

  test('docstatus 1 inserts and submits; 2 and junk are refused', async () => {
    const body = { customer: 'Acme', items: [{ item: 'A' }] };
    site.events.length = 0;
    const made = await create('Invoice', { ...body, docstatus: 1 });
    assert.equal(made.docstatus, 1);
    assert.equal(rowsOf(made, 'items')[0]?.docstatus, 1);
    assert.deepEqual(site.events, [
      `Invoice.after_insert ${made.name}`,
      `Invoice.on_submit ${made.name}`,
      `Invoice.on_change ${made.name}`,
    ]);
    await refused(create('Invoice', { ...body, docstatus: 2 }), 'DocstatusTransitionError');
    await refused(create('Invoice', { ...body, docstatus: [] }), 'DocstatusTransitionError');
    await refused(create('Memo', { name: 'm', docstatus: 1 }), 'ValidationError');
  });

  test('child doctypes are not created directly, and one single exists once', async () => {
    await refused(create('Invoice Item', { item: 'x' }), 'ValidationError');
    assert.equal((await create('Preferences', { color: 'red' })).name, 'Preferences');
    assert.equal((await create('Preferences', {}))['color'], 'red');
    await refused(create('Nothing', {}), 'DoesNotExistError', 'DocType Nothing not found');
  });

  test('fields above the level of the user keep their default and stay out of the reply', async () => {
    const made = await create('Invoice', { customer: 'Acme', margin: 5, items: [{ item: 'A' }] });
    assert.equal('margin' in made, false);
    const row = await site.database.reader.get({
      text: `select "margin" from "Invoice" where "name" = ${engine === 'sqlite' ? '?' : '$1'}`,
      values: [made.name],
    });
    assert.equal(row?.['margin'], 0);
  });
});
