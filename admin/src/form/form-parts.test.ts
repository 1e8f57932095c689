import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '../data/api-error.ts';
import type { BootUser } from '../data/boot.ts';
import type { Doc } from '../data/documents.ts';
import { type MetaBundle, metaOf } from '../meta/meta.ts';
import { bindErrors } from './bind-errors.ts';
import { differencesOf } from './conflict.ts';
import { defaultsOf } from './defaults.ts';
import { DocStore } from './doc-store.ts';

const item = metaOf({
  name: 'Task Item',
  istable: 1,
  fields: [
    { fieldname: 'item', label: 'Item', fieldtype: 'Data' },
    { fieldname: 'qty', label: 'Quantity', fieldtype: 'Float' },
  ],
});
const bundle: MetaBundle = {
  meta: metaOf({
    name: 'Task',
    fields: [
      { fieldname: 'subject', label: 'Subject', fieldtype: 'Data' },
      { fieldname: 'due', label: 'Due', fieldtype: 'Date' },
      { fieldname: 'due_date', label: 'Due Date', fieldtype: 'Date', default: 'Today' },
      { fieldname: 'status', label: 'Status', fieldtype: 'Select', options: 'Open\nClosed' },
      { fieldname: 'mood', label: 'Mood', fieldtype: 'Select', options: '\nGood' },
      { fieldname: 'who', label: 'Who', fieldtype: 'Link', options: 'User', default: '__user' },
      { fieldname: 'count', label: 'Count', fieldtype: 'Int', default: '3' },
      { fieldname: 'items', label: 'Items', fieldtype: 'Table', options: 'Task Item' },
    ],
  }),
  children: new Map([['Task Item', item]]),
};

describe('an error of the server', () => {
  const bind = (...problems: ConstructorParameters<typeof ApiError>[2]) =>
    bindErrors(new ApiError(417, 'ValidationError', problems), bundle);

  test('is bound to the field that it names', () => {
    const { fields, rest } = bind(
      { message: 'wrong', fieldname: 'subject' },
      { message: 'low', fieldname: 'qty', table: 'items', row: 2 },
      { message: 'what is this', fieldname: 'nowhere' },
    );
    assert.deepEqual(fields, [
      { path: 'subject', message: 'wrong' },
      { path: 'items[1].qty', message: 'low' },
    ]);
    assert.deepEqual(rest, ['what is this']);
  });

  test('is bound by the label at its beginning, the longest match first', () => {
    const { fields } = bind(
      'Due Date must be a date',
      'Row #2: Quantity must be positive',
      'Error: Task Item Row #1: Value missing for: Item',
    );
    assert.deepEqual(
      fields.map(({ path }) => path),
      ['due_date', 'items[1].qty', 'items[0].item'],
    );
  });

  test('stays with the document when it concerns no field', () => {
    assert.deepEqual(bind('Duet is over', 'The shop is closed').rest, ['Duet is over', 'The shop is closed']);
  });
});

describe('a conflict', () => {
  const stored = { subject: 'a', status: 'Open', count: 1, items: [{ name: 'r1', item: 'x', qty: 1 }] };
  const theirs = (changes: object) => ({ ...stored, ...changes }) as unknown as Doc;
  const begin = () => new DocStore(stored, { tables: ['items'] });

  test('lists their changes, and marks fields that both changed', () => {
    const store = begin();
    store.set('subject', 'mine');
    store.set('count', 7);
    const found = differencesOf(bundle.meta, store, theirs({ subject: 'theirs', status: 'Closed' }));
    assert.deepEqual(
      found.map((one) => [one.field.fieldname, one.before, one.mine, one.theirs, one.isBoth]),
      [
        ['subject', 'a', 'mine', 'theirs', true],
        ['status', 'Open', 'Open', 'Closed', false],
      ],
    );
  });

  test('does not exist when both made the same change, or they changed nothing', () => {
    const store = begin();
    store.set('subject', 'same');
    assert.deepEqual(differencesOf(bundle.meta, store, theirs({ subject: 'same' })), []);
    assert.deepEqual(differencesOf(bundle.meta, store, theirs({ modified: 'later' })), []);
  });

  test('sees rows', () => {
    const store = begin();
    const found = differencesOf(bundle.meta, store, theirs({ items: [{ name: 'r1', item: 'x', qty: 2 }] }));
    assert.deepEqual(
      found.map((one) => one.field.fieldname),
      ['items'],
    );
  });
});

test('a new document begins with the defaults of the server', () => {
  const user = { name: 'ann@example.com' } as BootUser;
  assert.deepEqual(defaultsOf(bundle.meta, user, Date.UTC(2026, 10, 21, 12)), {
    due_date: '2026-11-21',
    status: 'Open',
    who: 'ann@example.com',
    count: 3,
  });
});
