import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChildRow, Document } from '../../doctype/doctype.ts';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../doctype/registry.ts';
import { rowsOf } from '../../document/document.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { visibleDocument } from './document-text.ts';
import { formText, type PayloadField, renderPayload } from './payload.ts';

const row = parseDoctype({
  doctype: 'DocType',
  name: 'Order Row',
  module: 'Test',
  istable: 1,
  fields: [
    { fieldname: 'qty', label: 'Qty', fieldtype: 'Float' },
    { fieldname: 'pin', label: 'Pin', fieldtype: 'Password' },
  ],
});
const order = parseDoctype({
  doctype: 'DocType',
  name: 'Order',
  module: 'Test',
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
    { fieldname: 'total', label: 'Total', fieldtype: 'Currency' },
    { fieldname: 'count', label: 'Count', fieldtype: 'Int' },
    { fieldname: 'at', label: 'At', fieldtype: 'Datetime' },
    { fieldname: 'password', label: 'Password', fieldtype: 'Password' },
    { fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Order Row' },
  ],
});
const doctypes = buildRegistry([row, order], 1);
const stamp = {
  owner: 'a@b.c',
  creation: '2026-11-21 10:00:00.000001',
  modified: '2026-11-21 10:00:00.000002',
  modified_by: 'a@b.c',
  docstatus: 0,
};

function document(title: string): Document {
  const rows = [
    {
      ...{
        doctype: 'Order Row',
        name: 'r1',
        idx: 1,
        parent: 'O-1',
        parentfield: 'rows',
        parenttype: 'Order',
      },
      ...{ ...stamp, qty: 2, pin: '**********' },
    },
  ];
  const fields = {
    title,
    total: 10,
    count: 3,
    at: '2026-11-21 11:12:13.123456',
    password: '**********',
    rows,
  };
  return { doctype: 'Order', name: 'O-1', idx: 0, ...stamp, ...fields };
}

interface Options {
  readonly fields?: readonly PayloadField[];
  readonly before?: Document;
  readonly precision?: 'seconds' | 'microseconds';
}

function render(doc: Document, { fields = [], before, precision = 'seconds' }: Options = {}): string {
  const changed = { doctype: order, doc, before: before ?? null, secrets: ['password'] };
  return renderPayload({ doctypes, precision }, changed, { fields, includePrevious: before !== undefined });
}

test('the whole document in wire order, floats as floats, without password fields at any depth', () => {
  assert.equal(
    render(document('Ü')),
    '{"name": "O-1", "owner": "a@b.c", "creation": "2026-11-21 10:00:00", "modified": "2026-11-21 10:00:00", ' +
      '"modified_by": "a@b.c", "docstatus": 0, "idx": 0, "title": "\\u00dc", "total": 10.0, "count": 3, ' +
      '"at": "2026-11-21 11:12:13", "doctype": "Order", "rows": [{"name": "r1", "owner": "a@b.c", ' +
      '"creation": "2026-11-21 10:00:00", "modified": "2026-11-21 10:00:00", "modified_by": "a@b.c", ' +
      '"docstatus": 0, "idx": 1, "qty": 2.0, "parent": "O-1", "parentfield": "rows", "parenttype": "Order", ' +
      '"doctype": "Order Row"}]}',
  );
});

test('chosen fields appear under their keys in order; secret or missing ones are null', () => {
  const fields = ['total', 'name', 'doctype', 'password', 'gone', '__proto__'].map((fieldname) => ({
    fieldname,
    key: `k-${fieldname}`,
  }));
  assert.equal(
    render(document('x'), { fields }),
    '{"k-total": 10.0, "k-name": "O-1", "k-doctype": "Order", "k-password": null, "k-gone": null, "k-__proto__": null}',
  );
});

test('the setting for microseconds applies to payloads', () => {
  const fields = [{ fieldname: 'at', key: 'at' }];
  assert.equal(
    render(document('x'), { fields, precision: 'microseconds' }),
    '{"at": "2026-11-21 11:12:13.123456"}',
  );
});

test('a body above the limit names the document and is marked as truncated', () => {
  const body = render(document('x'.repeat(LIMITS.deliveryBodyBytes)));
  assert.equal(body, '{"doctype": "Order", "name": "O-1", "truncated": true}');
});

test('__previous has the former values of changed fields', () => {
  const before = document('Old');
  const after = {
    ...document('New'),
    total: 11,
    modified: '2026-12-01 00:00:00.000000',
    password: '********',
  };
  const { __previous } = JSON.parse(render(after, { before }));
  assert.deepEqual(__previous, { title: 'Old', total: 10 });
  const fields = [
    { fieldname: 'title', key: 'name' },
    { fieldname: 'count', key: 'count' },
  ];
  assert.equal(
    render(after, { before, fields }),
    '{"name": "New", "count": 3, "__previous": {"name": "Old"}}',
  );
  for (const row of rowsOf(after, 'rows')) row['qty'] = 3;
  const retold = JSON.parse(render(after, { before })).__previous;
  assert.deepEqual(Object.keys(retold), ['title', 'total', 'rows']);
  assert.equal(retold.rows[0].qty, 2);
  assert.ok(!JSON.stringify(retold).includes('*'));
});

test('a form has one part for each key', () => {
  const form = new URLSearchParams(formText(render(document('a&b=ü'))));
  assert.equal(form.get('title'), 'a&b=ü');
  assert.equal(form.get('count'), '3');
  assert.equal(JSON.parse(form.get('rows') ?? '')[0].qty, 2);
  assert.equal(formText('{"a": null, "b": {"c": [1]}, "d": "x y"}'), 'a=&b=%7B%22c%22%3A%5B1%5D%7D&d=x+y');
});

test('the rendered text has the values that clients would read', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null));
  // JSON.stringify knows no negative zero.
  const number = fc
    .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
    .map((n) => n + 0);
  const values = fc.record({
    title: text,
    total: number,
    count: fc.integer(),
    at: fc.constantFrom(null, '2026-01-01 00:00:00.1'),
  });
  fc.assert(
    fc.property(values, fc.array(number, { maxLength: 3 }), text, (fields, quantities, tags) => {
      const [row] = rowsOf(document('x'), 'rows');
      const rows = quantities.map((qty, index) => ({ ...(row as ChildRow), name: `r${index}`, qty }));
      const doc: Document = { ...document('x'), ...fields, rows, _user_tags: tags };
      const shown = visibleDocument({ doctypes, precision: 'seconds' }, order, doc);
      assert.deepEqual(JSON.parse(render(doc)), JSON.parse(JSON.stringify(shown)));
    }),
    { numRuns: 300 },
  );
});
