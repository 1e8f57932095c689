import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '../doctype/doctype.ts';
import { parseDoctype } from '../doctype/parse-doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import { LIMITS } from '../kernel/limits.ts';
import { renderPayload } from './payload.ts';

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

const seconds = { doctypes, precision: 'seconds' } as const;

test('the whole document in wire order, floats as floats, without password fields at any depth', () => {
  assert.equal(
    renderPayload(seconds, order, document('Ü'), []),
    '{"name": "O-1", "owner": "a@b.c", "creation": "2026-11-21 10:00:00", "modified": "2026-11-21 10:00:00", ' +
      '"modified_by": "a@b.c", "docstatus": 0, "idx": 0, "title": "\\u00dc", "total": 10.0, "count": 3, ' +
      '"at": "2026-11-21 11:12:13", "doctype": "Order", "rows": [{"name": "r1", "owner": "a@b.c", ' +
      '"creation": "2026-11-21 10:00:00", "modified": "2026-11-21 10:00:00", "modified_by": "a@b.c", ' +
      '"docstatus": 0, "idx": 1, "qty": 2.0, "parent": "O-1", "parentfield": "rows", "parenttype": "Order", ' +
      '"doctype": "Order Row"}]}',
  );
});

test('chosen fields stand under their keys, in their order; secret or missing ones are null', () => {
  const fields = ['total', 'name', 'doctype', 'password', 'gone', '__proto__'].map((fieldname) => ({
    fieldname,
    key: `k-${fieldname}`,
  }));
  assert.equal(
    renderPayload(seconds, order, document('x'), fields),
    '{"k-total": 10.0, "k-name": "O-1", "k-doctype": "Order", "k-password": null, "k-gone": null, "k-__proto__": null}',
  );
});

test('the setting for microseconds holds for payloads too', () => {
  const fields = [{ fieldname: 'at', key: 'at' }];
  assert.equal(
    renderPayload({ doctypes, precision: 'microseconds' }, order, document('x'), fields),
    '{"at": "2026-11-21 11:12:13.123456"}',
  );
});

test('a body above the limit names the document and says that it is cut', () => {
  const body = renderPayload(seconds, order, document('x'.repeat(LIMITS.deliveryBodyBytes)), []);
  assert.equal(body, '{"doctype": "Order", "name": "O-1", "truncated": true}');
});
