import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { asSystem } from '../../src/document/context.ts';
import type { Context, Controller } from '../../src/document/contract.ts';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite } from '../support/memory-site.ts';

const ITEM = {
  name: 'Item',
  autoname: 'field:code',
  fields: [
    { fieldname: 'code', fieldtype: 'Data', reqd: 1 },
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'price', fieldtype: 'Currency' },
    { fieldname: 'pin', fieldtype: 'Password' },
  ],
};

const ORDER_ITEM = {
  name: 'Order Item',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Link', options: 'Item' },
    { fieldname: 'title', fieldtype: 'Data', fetch_from: 'item.title', read_only: 1, enforce_on_server: 1 },
    { fieldname: 'price', fieldtype: 'Currency', fetch_from: 'item.price', fetch_if_empty: 1 },
    { fieldname: 'qty', fieldtype: 'Int', non_negative: 1 },
    { fieldname: 'amount', fieldtype: 'Currency', read_only: 1, enforce_on_server: 1, precision: 2 },
    {
      fieldname: 'reason',
      fieldtype: 'Data',
      length: 5,
      mandatory_depends_on: 'eval:doc.qty > 5 && parent.strict',
      enforce_on_server: 1,
    },
    { fieldname: 'note', fieldtype: 'Small Text', allow_on_submit: 1 },
  ],
};

const TAG = {
  name: 'Order Tag',
  istable: 1,
  fields: [{ fieldname: 'tag', fieldtype: 'Link', options: 'Item' }],
};

const ORDER = {
  name: 'Order',
  is_submittable: 1,
  fields: [
    { fieldname: 'strict', fieldtype: 'Check' },
    { fieldname: 'status', fieldtype: 'Select', options: 'Open\nLost' },
    {
      fieldname: 'lost_reason',
      fieldtype: 'Data',
      mandatory_depends_on: 'eval:doc.status=="Lost"',
      enforce_on_server: 1,
    },
    { fieldname: 'approver', fieldtype: 'Data', mandatory_depends_on: 'strict', enforce_on_server: 1 },
    { fieldname: 'number', fieldtype: 'Int', read_only: 1, enforce_on_server: 1, default: '7' },
    { fieldname: 'set_by_hook', fieldtype: 'Data', read_only: 1, enforce_on_server: 1 },
    { fieldname: 'main_item', fieldtype: 'Link', options: 'Item', allow_on_submit: 1 },
    { fieldname: 'main_title', fieldtype: 'Data', fetch_from: 'main_item.title' },
    { fieldname: 'main_price', fieldtype: 'Currency', fetch_from: 'main_item.price', allow_on_submit: 1 },
    { fieldname: 'pin', fieldtype: 'Data', fetch_from: 'main_item.pin' },
    { fieldname: 'kind', fieldtype: 'Data', default: 'Item' },
    { fieldname: 'other', fieldtype: 'Dynamic Link', options: 'kind' },
    { fieldname: 'other_title', fieldtype: 'Data', fetch_from: 'other.title' },
    { fieldname: 'company', fieldtype: 'Link', options: 'Item', default: ':Company' },
    { fieldname: 'once', fieldtype: 'Data', set_only_once: 1 },
    { fieldname: 'body', fieldtype: 'Text Editor' },
    { fieldname: 'raw', fieldtype: 'Text', ignore_xss_filter: 1 },
    { fieldname: 'short', fieldtype: 'Data', length: 12 },
    { fieldname: 'summary', fieldtype: 'Data', is_virtual: 1 },
    { fieldname: 'seen', fieldtype: 'Datetime', is_virtual: 1 },
    { fieldname: 'items', fieldtype: 'Table', options: 'Order Item' },
    { fieldname: 'fixed', fieldtype: 'Table', options: 'Order Item', set_only_once: 1 },
    { fieldname: 'extra', fieldtype: 'Table', options: 'Order Item', allow_on_submit: 1 },
    { fieldname: 'tags', fieldtype: 'Table MultiSelect', options: 'Order Tag' },
  ],
};

const orders: Controller = {
  validate(doc) {
    doc['set_by_hook'] = `${doc['status']} by hook`;
    for (const row of rowsOf(doc, 'items')) row['amount'] = Number(row['qty']) * Number(row['price']) * 1.001;
  },
  async onUpdate(doc, ctx) {
    if (doc['status'] === 'Lost') await createDocument(ctx, 'Order', { number: 99, kind: 'Item' });
  },
  virtualFields: {
    summary: (doc) => `${doc['status']} #${doc['number']}`,
    seen: async () => '2026-01-02 03:04:05',
  },
};

const SITE = { doctypes: [ITEM, ORDER_ITEM, TAG, ORDER], controllers: { Order: [orders] } };

describeEither('field properties', memorySite(SITE), (site) => {
  before(async () => {
    await site.run((ctx) =>
      createDocument(ctx, 'Item', { code: 'A', title: 'Apple', price: 3, pin: 'secret' }),
    );
    await site.run((ctx) => createDocument(ctx, 'Item', { code: 'B', title: 'Pear', price: 4 }));
  });

  const create = (fields: Record<string, unknown>) => site.run((ctx) => createDocument(ctx, 'Order', fields));
  const update = (name: string, fields: Record<string, unknown>) =>
    site.run((ctx) => updateDocument(ctx, 'Order', name, fields));
  const read = (name: string) => site.run((ctx) => readDocument(ctx, 'Order', name));

  test('a client does not write read-only fields; hooks and the system do', async () => {
    const made = await create({
      number: 5,
      set_by_hook: 'mine',
      items: [{ item: 'A', qty: 2, amount: 1, title: 'x' }],
    });
    assert.equal(made['number'], 7);
    assert.equal(made['set_by_hook'], 'Open by hook');
    const [row] = rowsOf(made, 'items');
    assert.equal(row?.['amount'], 6.006);
    assert.equal(row?.['title'], 'Apple');
    const changed = await update(made.name, {
      ...made,
      number: 6,
      items: [{ ...row, amount: 100, qty: 3 }],
    });
    assert.equal(changed['number'], 7);
    assert.equal(rowsOf(changed, 'items')[0]?.['amount'], 9.009);
    const system = await site.run((ctx) => updateDocument(asSystem(ctx), 'Order', made.name, { number: 8 }));
    assert.equal(system['number'], 8);
    assert.deepEqual(await read(made.name), system);
  });

  test('what a hook creates may set read-only fields', async () => {
    await create({ status: 'Lost', lost_reason: 'price' });
    const rows = await site.run((ctx: Context) =>
      ctx.db.all({ text: 'select "number" from "Order" where "number" = 99', values: [] }),
    );
    assert.equal(rows.length, 1);
  });

  test('conditional fields are missed together with the others, in rows too', async () => {
    const items = [
      { item: 'A', qty: 6 },
      { item: 'A', qty: 5 },
      { item: 'B', qty: 7, reason: 'gift' },
    ];
    const error = await refused(create({ status: 'Lost', strict: 1, items, tags: [{}] }), 'MandatoryError');
    assert.match(error.message, /lost_reason, approver, reason, tag$/);
    assert.deepEqual(error.details.messages, [
      'Error: Value missing for Order: Lost Reason',
      'Error: Value missing for Order: Approver',
      'Error: Order Item Row #1: Value missing for: Reason',
      'Error: Order Tag Row #1: Value missing for: Tag',
    ]);
    const made = await create({ items, tags: [{ tag: 'A' }] });
    await refused(update(made.name, { status: 'Lost' }), 'MandatoryError');
    assert.equal((await update(made.name, { status: 'Lost', lost_reason: 'late' }))['status'], 'Lost');
  });

  test('fetched values follow their links, in one document and in rows', async () => {
    const made = await create({
      main_item: 'A',
      main_title: 'sent',
      other: 'B',
      items: [{ item: 'A' }, { item: 'B', price: 9 }, { price: 2 }],
    });
    assert.equal(made['main_title'], 'Apple');
    assert.equal(made['main_price'], 3);
    assert.equal(made['other_title'], 'Pear');
    assert.equal(made['pin'], null);
    const fetched = (doc: typeof made) => rowsOf(doc, 'items').map((row) => [row['title'], row['price']]);
    assert.deepEqual(fetched(made), [
      ['Apple', 3],
      ['Pear', 9],
      [null, 2],
    ]);
    assert.deepEqual(await read(made.name), made);

    const moved = await update(made.name, { main_item: 'B' });
    assert.equal(moved['main_title'], 'Pear');
    const cleared = await update(made.name, { main_item: null, other: null, other_title: 'kept' });
    assert.deepEqual(
      [cleared['main_title'], cleared['main_price'], cleared['other_title']],
      [null, 0, 'kept'],
    );
  });

  test('after submission only fields that may change are fetched', async () => {
    const made = await create({ main_item: 'A' });
    const submitted = await site.run((ctx) => submitDocument(ctx, 'Order', made.name));
    assert.equal(submitted['main_title'], 'Apple');
    const changed = await update(made.name, { main_item: 'B', once: '', short: null });
    assert.deepEqual([changed['main_title'], changed['main_price']], ['Apple', 4]);
  });

  test('after submission rows come and go only in tables that allow it, and keep the rest', async () => {
    const made = await create({
      docstatus: 1,
      items: [{ item: 'A', qty: 1 }],
      extra: [{ item: 'A', qty: 1 }],
    });
    const [item] = rowsOf(made, 'items');
    const [extra] = rowsOf(made, 'extra');
    await refused(update(made.name, { items: [] }), 'UpdateAfterSubmitError');
    await refused(update(made.name, { items: [item, { item: 'B' }] }), 'UpdateAfterSubmitError');
    await refused(
      update(made.name, { items: [{ ...item, qty: 2 }] }),
      'UpdateAfterSubmitError',
      /^Row #1: .* Qty/,
    );
    await refused(update(made.name, { extra: [{ ...extra, qty: 2 }] }), 'UpdateAfterSubmitError');
    const changed = await update(made.name, {
      items: [{ ...item, note: 'seen' }],
      extra: [
        { ...extra, note: 'too' },
        { item: 'B', qty: 4 },
      ],
    });
    assert.equal(rowsOf(changed, 'items')[0]?.['note'], 'seen');
    assert.deepEqual(
      rowsOf(changed, 'extra').map((row) => [row['title'], row['qty'], row['note']]),
      [
        ['Apple', 1, 'too'],
        ['Pear', 4, null],
      ],
    );
  });

  test('what is set once stays, tables too; unset is unset either way', async () => {
    const made = await create({ once: 'x', fixed: [{ item: 'A', qty: 1, reason: null }] });
    await refused(update(made.name, { once: 'y' }), 'CannotChangeConstantError');
    const [row] = rowsOf(made, 'fixed');
    await refused(update(made.name, { fixed: [] }), 'CannotChangeConstantError');
    await refused(update(made.name, { fixed: [{ ...row, qty: 2 }] }), 'CannotChangeConstantError');
    await update(made.name, { once: 'x', fixed: [{ ...row, reason: '' }], status: 'Open' });
    const blank = await create({});
    await update(blank.name, { once: '' });
    await refused(update(blank.name, { once: 'late' }), 'CannotChangeConstantError');
  });

  test('limits of values hold in rows, and for what hooks set', async () => {
    await refused(create({ items: [{ qty: -1 }] }), 'NonNegativeError', 'Row #1: Qty cannot be negative');
    await refused(
      create({ items: [{}, { reason: 'x'.repeat(6) }] }),
      'CharacterLengthExceededError',
      /^Row #2: /,
    );
    await refused(create({ items: [{ qty: 1.5 }] }), 'ValidationError', /whole number/);
  });

  test('computed fields show in a document, are not written, and need no column', async () => {
    const made = await create({ summary: 'sent' });
    assert.equal(made['summary'], 'Open #7');
    assert.equal(made['seen'], '2026-01-02 03:04:05.000000');
    assert.deepEqual(await read(made.name), made);
    assert.equal((await update(made.name, { status: 'Lost', lost_reason: 'x' }))['summary'], 'Lost #7');
  });

  test('text is safe to show as HTML, whoever set it', async () => {
    const made = await create({
      body: '<p onclick="x()">Hi <script>alert(1)</script></p>',
      raw: '<script>',
      lost_reason: 'a < b & c',
      items: [{ note: '<img src=x onerror=alert(1)>' }],
    });
    assert.equal(made['body'], '<p>Hi &lt;script&gt;alert(1)&lt;/script&gt;</p>');
    assert.equal(made['raw'], '<script>');
    assert.equal(made['lost_reason'], 'a < b & c');
    assert.equal(rowsOf(made, 'items')[0]?.['note'], '&lt;img src=x onerror=alert(1)&gt;');
    assert.deepEqual(await read(made.name), made);
    assert.equal((await create({ short: '<i>12345</i>' }))['short'], '<i>12345</i>');
    await refused(create({ short: '<script>' }), 'CharacterLengthExceededError', /^Short /);
    await refused(create({ body: '<b>'.repeat(600) }), 'ValidationError', /^Body has tags nested/);
  });

  test('a default that names a doctype is none', async () => {
    assert.equal((await create({}))['company'], null);
  });
});
