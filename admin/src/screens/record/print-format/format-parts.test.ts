import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeField } from '../../../meta/standard-fields.ts';
import { columnsIn, partsOfForm, printable } from './format-parts.ts';

const fields = [
  ['naming_series', 'Select'],
  ['subject', 'Data'],
  ['secret', 'Password'],
  ['people', 'Section Break', 'People'],
  ['contact', 'Link'],
  ['beside', 'Column Break'],
  ['items', 'Table'],
  ['more', 'Tab Break', 'More'],
  ['press', 'Button'],
].map(([fieldname = '', fieldtype = '', label = '']) => makeField({ fieldname, fieldtype, label }));

test('the parts of a form are its sections, columns and fields that can be printed', () => {
  const hidden = makeField({ fieldname: 'inner', fieldtype: 'Data', hidden: true });
  assert.deepEqual(partsOfForm([...fields, hidden]), [
    { type: 'Field', fieldname: 'subject' },
    { type: 'Section', label: 'People' },
    { type: 'Field', fieldname: 'contact' },
    { type: 'Column' },
    { type: 'Field', fieldname: 'items' },
    { type: 'Section', label: 'More' },
  ]);
});

test('fields without a value, and passwords, are not offered', () => {
  assert.deepEqual(
    printable(fields).map(({ fieldname }) => fieldname),
    ['naming_series', 'subject', 'contact', 'items'],
  );
});

test('columns are read with any space between them', () => {
  assert.deepEqual(columnsIn(' item,qty , ,rate'), ['item', 'qty', 'rate']);
});
