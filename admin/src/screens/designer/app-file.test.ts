import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appFileOf, definitionIn, fileNameOf } from './app-file.ts';
import { draftOf } from './draft.ts';
import { exampleOf, wayOf } from './naming.ts';

const FRAPPE = {
  creation: '2020-01-01 10:00:00.000000',
  doctype: 'DocType',
  docstatus: 0,
  field_order: ['title', 'note'],
  fields: [
    { fieldname: 'note', fieldtype: 'Text', idx: 2, parent: 'Memo' },
    { fieldname: 'title', fieldtype: 'Data', reqd: 1, idx: 1, bold: 0 },
  ],
  modified: '2021-01-01 10:00:00.000000',
  name: 'Memo',
  owner: 'Administrator',
  permissions: [{ role: 'All', read: 1, write: 0 }],
};

test('a file of Frappe is read in the order that it gives, without what its site stored', () => {
  const definition = {
    name: 'Memo',
    fields: [
      { fieldname: 'title', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'note', fieldtype: 'Text' },
    ],
    permissions: [{ role: 'All', read: 1 }],
  };
  for (const form of [FRAPPE, [FRAPPE], { docs: [FRAPPE] }, { data: FRAPPE }, { message: FRAPPE }]) {
    assert.deepEqual(definitionIn(JSON.stringify(form)), definition);
  }
  assert.throws(() => definitionIn('{'), /no JSON/);
  assert.throws(() => definitionIn('{"name": "Memo"}'), /no doctype/);
});

test('an app file has what a folder of doctypes expects, and reads back the same', () => {
  const draft = draftOf(
    {
      name: 'Memo',
      module: 'Desk',
      custom: 1,
      title_field: 'title',
      fields: [{ fieldname: 'title', fieldtype: 'Data', is_custom_field: 1 }],
      permissions: [{ role: 'All', read: 1 }],
    },
    true,
  );
  assert.deepEqual(appFileOf(draft), {
    doctype: 'DocType',
    name: 'Memo',
    module: 'Desk',
    title_field: 'title',
    fields: [{ fieldname: 'title', fieldtype: 'Data' }],
    permissions: [{ role: 'All', read: 1 }],
  });
  assert.equal(fileNameOf('Sales Invoice-Item'), 'sales_invoice_item.json');
});

test('ways of naming, and the first name of each', () => {
  const today = new Date(2026, 10, 4);
  assert.deepEqual(['', 'Prompt', 'field:email', 'format:X-{#}', 'naming_series:', 'T-.####'].map(wayOf), [
    'random',
    'prompt',
    'field',
    'pattern',
    'series',
    'other',
  ]);
  assert.equal(exampleOf('format:INV-{YYYY}-{#####}-{customer}', today), 'INV-2026-00001-‹customer›');
  assert.equal(exampleOf('TICK-.YYYY.-.MM.-.####', today), 'TICK-2026-11-0001');
});
