import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootUser } from '../data/boot.ts';
import { type Meta, metaOf } from '../meta/meta.ts';
import {
  askedFields,
  columnFields,
  columnsOf,
  fitted,
  movedColumn,
  NO_LAYOUT,
  searchedFields,
  usualColumns,
} from './list-columns.ts';

const user: BootUser = {
  name: 'sue@example.com',
  roles: new Set(['Clerk']),
} as unknown as BootUser;

function invoice(more: Readonly<Record<string, unknown>> = {}): Meta {
  return metaOf({
    name: 'Invoice',
    title_field: 'title',
    search_fields: 'customer, total, secret',
    is_submittable: 1,
    fields: [
      { fieldname: 'tab', fieldtype: 'Tab Break', label: 'Tab' },
      { fieldname: 'title', fieldtype: 'Data', label: 'Title' },
      { fieldname: 'customer', fieldtype: 'Link', options: 'Customer', in_list_view: 1 },
      { fieldname: 'total', fieldtype: 'Currency', options: 'currency', in_list_view: 1 },
      { fieldname: 'currency', fieldtype: 'Data' },
      { fieldname: 'secret', fieldtype: 'Data', permlevel: 1, in_list_view: 1 },
      { fieldname: 'items', fieldtype: 'Table', options: 'Invoice Item', in_list_view: 1 },
      { fieldname: 'pass', fieldtype: 'Password', in_list_view: 1 },
      { fieldname: 'note', fieldtype: 'Long Text', in_list_view: 1 },
    ],
    permissions: [{ role: 'Clerk', permlevel: 0, read: 1 }],
    ...more,
  });
}

test('the default columns are title, marked fields, state and time of change', () => {
  const meta = invoice();
  assert.deepEqual(usualColumns(meta, columnFields(meta, user)), [
    'title',
    'customer',
    'total',
    'docstatus',
    'name',
    'modified',
  ]);
  const plain = invoice({ title_field: '', is_submittable: 0 });
  assert.deepEqual(usualColumns(plain, columnFields(plain, user)), ['name', 'customer', 'total', 'modified']);
});

test('a name that repeats a field or is random is not a default column', () => {
  const ofField = invoice({ title_field: '', is_submittable: 0, autoname: 'field:title' });
  assert.deepEqual(usualColumns(ofField, columnFields(ofField, user)), [
    'title',
    'customer',
    'total',
    'modified',
  ]);
  const random = invoice({ title_field: '', is_submittable: 0, autoname: 'hash', sort_field: 'creation' });
  assert.deepEqual(usualColumns(random, columnFields(random, user)), ['customer', 'total', 'creation']);
});

test('fields above the level of the user are not columns', () => {
  const meta = invoice();
  const names = columnFields(meta, user).map((field) => field.fieldname);
  assert.equal(names.includes('secret'), false);
  assert.equal(names.includes('items'), false);
  assert.equal(names.includes('pass'), false);
  const open = invoice({ permissions: [{ role: 'Clerk', permlevel: 1, read: 1 }] });
  assert.equal(
    columnFields(open, user).some((field) => field.fieldname === 'secret'),
    true,
  );
});

test('requests name only the visible columns and the fields they need', () => {
  const meta = invoice();
  const fields = columnFields(meta, user);
  const columns = columnsOf(fields, ['total', 'gone', 'total'], NO_LAYOUT);
  assert.deepEqual(askedFields(meta, columns, fields), [
    'name',
    'modified',
    'docstatus',
    'title',
    'total',
    'currency',
  ]);
  assert.deepEqual(searchedFields(meta, fields), ['name', 'title', 'customer']);
});

test('pinned columns stand before the others, the first one always', () => {
  const fields = columnFields(invoice(), user);
  const columns = columnsOf(fields, ['title', 'customer', 'total'], {
    widths: { total: 99 },
    pinned: ['total'],
  });
  assert.deepEqual(
    columns.map(({ field, isPinned, width }) => [field.fieldname, isPinned, width]),
    [
      ['title', true, 240],
      ['total', true, 99],
      ['customer', false, 184],
    ],
  );
});

test('the first column takes the width that is left, unless it has its own', () => {
  const fields = columnFields(invoice(), user);
  const names = ['title', 'customer', 'modified'];
  const widths = (room: number, own: Readonly<Record<string, number>> = {}) =>
    fitted(columnsOf(fields, names, { widths: own, pinned: [] }), room).map(({ width }) => width);
  const [, customer = 0, modified = 0] = widths(0);
  // The head fits, with its arrow and its menu.
  assert.ok(modified > 144);
  assert.deepEqual(widths(1_000), [1_000 - customer - modified, customer, modified]);
  assert.deepEqual(widths(500), [240, customer, modified]);
  assert.deepEqual(widths(1_000, { title: 200 }), [200, customer, modified]);
});

test('a column moves to a place', () => {
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'a', 1), ['b', 'a', 'c']);
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'c', 0), ['c', 'a', 'b']);
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'b', 99), ['a', 'c', 'b']);
});
