import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field, Meta } from '../../../meta/meta.ts';
import { makeField } from '../../../meta/standard-fields.ts';
import { readVersion } from './version-diff.ts';
import { USER, versionSentence } from './version-words.ts';

const FIELDS: readonly Field[] = [
  makeField({ fieldname: 'status', fieldtype: 'Select' }),
  makeField({ fieldname: 'notes', fieldtype: 'Text' }),
  makeField({ fieldname: 'total', fieldtype: 'Currency', options: 'currency' }),
  makeField({ fieldname: 'items', fieldtype: 'Table', options: 'Line' }),
];
const meta = {
  fields: FIELDS,
  fieldByName: new Map(FIELDS.map((field) => [field.fieldname, field])),
} as unknown as Meta;
const said = (data: object) =>
  versionSentence(readVersion(JSON.stringify(data)), { meta, children: new Map() }, () => 'EUR').replace(
    USER,
    'Ann',
  );
const row = (name: string) => ['items', { name, idx: 1, item: 'Pen' }];

test('one short change tells both values', () => {
  assert.equal(said({ changed: [['status', 'Open', 'Closed']] }), 'Ann changed status from Open to Closed');
  assert.equal(said({ changed: [['status', null, 'Open']] }), 'Ann set status to Open');
  assert.equal(said({ changed: [['total', 1, 2]] }), 'Ann changed total from €1.00 to €2.00');
});

test('long or several changes name their fields', () => {
  assert.equal(said({ changed: [['notes', 'x'.repeat(30), 'y']] }), 'Ann changed notes');
  assert.equal(
    said({ changed: ['a', 'b', 'c', 'd'].map((name) => [name, 1, 2]), row_changed: [] }),
    'Ann changed a, b, c +1',
  );
});

test('a change of the state is a verb of its own', () => {
  assert.equal(
    said({
      changed: [
        ['docstatus', 0, 1],
        ['status', 'a', 'b'],
      ],
    }),
    'Ann submitted this document',
  );
  assert.equal(said({ changed: [['docstatus', 1, 2]] }), 'Ann cancelled this document');
});

test('new rows are counted', () => {
  assert.equal(said({ added: [row('a')] }), 'Ann added 1 row to items');
  assert.equal(said({ added: [row('a'), row('b')] }), 'Ann added 2 rows to items');
});
