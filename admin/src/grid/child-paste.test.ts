import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Field, metaOf } from '../meta/meta.ts';
import { childColumns, sumOf } from './child-columns.ts';
import { pasteInto } from './child-paste.ts';

const META = metaOf({
  name: 'Invoice Item',
  fields: [
    { fieldname: 'item', fieldtype: 'Data', label: 'Item', in_list_view: 1 },
    { fieldname: 'qty', fieldtype: 'Int', label: 'Quantity', in_list_view: 1 },
    { fieldname: 'unit', fieldtype: 'Select', label: 'Unit', options: 'Piece\nHour', in_list_view: 1 },
    { fieldname: 'note', fieldtype: 'Text', label: 'Note' },
    { fieldname: 'secret', fieldtype: 'Password', label: 'Secret', reqd: 1 },
  ],
});
const ALL: readonly Field[] = childColumns(META, () => true).map(({ field }) => field);
const target = (row: number, column = 0, rows = 1) => ({
  columns: ALL,
  column,
  isOpen: () => true,
  row,
  rows,
  limit: 5,
});

test('columns are those of the list view, without secrets', () => {
  assert.deepEqual(
    ALL.map((field) => field.fieldname),
    ['item', 'qty', 'unit'],
  );
});

test('pasted cells fill their columns, and extra rows are added', () => {
  const pasted = pasteInto(
    [
      ['Pen', '1,000', 'hour'],
      ['Ink', '', 'Piece'],
    ],
    target(0),
  );
  assert.deepEqual(pasted.changes, [
    { row: 0, field: 'item', value: 'Pen' },
    { row: 0, field: 'qty', value: 1000 },
    { row: 0, field: 'unit', value: 'Hour' },
  ]);
  assert.deepEqual(pasted.rows, [{ item: 'Ink', qty: null, unit: 'Piece' }]);
  assert.deepEqual(pasted.problems, []);
});

test('an invalid cell stays as text and is reported with its place', () => {
  const { changes, problems } = pasteInto([['many', 'Bag']], target(0, 1));
  assert.deepEqual(changes, [
    { row: 0, field: 'qty', value: 'many' },
    { row: 0, field: 'unit', value: 'Bag' },
  ]);
  assert.deepEqual(
    problems.map(({ row, field }) => [row, field]),
    [
      [0, 'qty'],
      [0, 'unit'],
    ],
  );
});

test('a heading row assigns the cells to columns', () => {
  const { rows } = pasteInto(
    [
      ['Quantity', 'item'],
      ['3', 'Pen'],
    ],
    target(1),
  );
  assert.deepEqual(rows, [{ qty: 3, item: 'Pen' }]);
});

test('read-only columns are skipped, and rows beyond the limit omitted', () => {
  const closed = { ...target(0, 2), isOpen: (field: Field) => field.fieldname !== 'qty' };
  assert.deepEqual(pasteInto([['Hour', 'x']], closed).changes, [{ row: 0, field: 'unit', value: 'Hour' }]);
  const headed = pasteInto(
    [
      ['Item', 'Quantity'],
      ['Pen', '3'],
    ],
    closed,
  );
  assert.deepEqual(headed.changes, [{ row: 0, field: 'item', value: 'Pen' }]);
  const many = pasteInto(
    Array.from({ length: 9 }, (_, at) => [`item ${at}`]),
    target(0),
  );
  assert.equal(many.rows.length, 4);
  assert.equal(many.dropped, 4);
});

test('sums of decimal fractions are exact', () => {
  assert.equal(sumOf([0.1, 0.2, 0.3, '', null, 'x', '1']), 1.6);
  assert.equal(sumOf(Array.from({ length: 1000 }, () => 0.1)), 100);
});
