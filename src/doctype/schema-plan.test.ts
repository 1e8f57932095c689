import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../kernel/errors.ts';
import { parseDoctype } from './parse-doctype.ts';
import { planTable, tableOf } from './schema-plan.ts';

const book = (...fields: readonly object[]) => tableOf(parseDoctype({ name: 'Book', fields }));
const data = (fieldname: string, more: object = {}) => ({ fieldname, fieldtype: 'Data', ...more });
const typed = (fieldname: string, fieldtype: string) => ({ fieldname, fieldtype });

test('a parent table has its revision and the side columns last, and indexes on its times', () => {
  const table = book(data('title'), typed('pages', 'Int'));
  assert.deepEqual(table.columns.at(-4), { name: '_revision', kind: 'integer', notNullDefault: 1 });
  assert.deepEqual(
    table.columns.slice(-3).map((column) => column.name),
    ['_user_tags', '_assign', '_liked_by'],
  );
  assert.deepEqual(
    table.columns.find((column) => column.name === 'pages'),
    {
      name: 'pages',
      kind: 'integer',
      notNullDefault: 0,
    },
  );
  assert.deepEqual(
    table.indexes.map((index) => index.columns),
    [
      ['modified', 'name'],
      ['creation', 'name'],
    ],
  );
});

test('versions, which never change, have an index on their creation alone', () => {
  const version = parseDoctype({ name: 'Version', sort_field: 'creation', fields: [data('docname')] });
  assert.deepEqual(
    tableOf(version).indexes.map((index) => index.columns),
    [['creation', 'name']],
  );
});

test('an index on few values carries the order of the doctype, one on many the order by name', () => {
  const table = book(
    { ...data('shelf'), search_index: 1 },
    { ...typed('state', 'Select'), options: 'In\nOut', search_index: 1 },
    { ...data('isbn'), unique: 1 },
  );
  assert.deepEqual(
    table.indexes.slice(2).map((index) => index.columns),
    [['shelf', 'name'], ['state', 'modified', 'name'], ['isbn']],
  );
});

test('a child table is indexed by its place and has no revision', () => {
  const table = tableOf(parseDoctype({ name: 'Page', istable: 1, fields: [] }));
  assert.deepEqual(
    table.indexes.map((index) => index.columns),
    [['parent', 'parenttype', 'parentfield', 'idx']],
  );
  assert.ok(!table.columns.some((column) => column.name === '_revision'));
});

test('links, unique and search_index fields are indexed; index names tell them apart', () => {
  const table = book(data('isbn', { unique: 1 }), data('shelf', { search_index: 1 }), {
    fieldname: 'author',
    fieldtype: 'Link',
    options: 'User',
  });
  assert.deepEqual(
    table.indexes.slice(2).map((index) => [index.columns[0], index.unique]),
    [
      ['isbn', true],
      ['shelf', false],
      ['author', false],
    ],
  );
  const names = new Set(
    [...table.indexes, ...book(data('isbn', { search_index: 1 })).indexes].map((index) => index.name),
  );
  assert.equal(names.size, 6);
  for (const name of names) assert.match(name, /^_ix_[0-9a-f]{12}$/);
});

test('a missing table is created with all columns', () => {
  const table = book(data('title'));
  assert.deepEqual(planTable(table, null), [{ change: 'create_table', table }]);
});

test('a new field adds a column, a removed field keeps it, a returning field reuses it', () => {
  const before = book(data('title'));
  const after = book(data('title'), data('isbn'));
  const isbn = { name: 'isbn', kind: 'text', notNullDefault: null };
  assert.deepEqual(planTable(after, before), [{ change: 'add_column', table: 'Book', column: isbn }]);
  assert.deepEqual(planTable(before, after), []);
});

test('changed indexes are dropped first and created last; foreign ones are kept', () => {
  const before = book(data('isbn', { search_index: 1 }));
  const after = book(data('isbn', { unique: 1 }), data('title'));
  const foreign = { name: 'by_hand', columns: ['isbn'], unique: false };
  const plan = planTable(after, { ...before, indexes: [...before.indexes, foreign] });
  assert.deepEqual(
    plan.map((step) => step.change),
    ['drop_index', 'add_column', 'create_index'],
  );
});

test('a column follows the form of its unset values', () => {
  const blank = book({ ...typed('a', 'Select'), options: '\nx' });
  const chosen = book({ ...typed('a', 'Select'), options: 'x' });
  const [column, none] = [blank, chosen].map(({ columns }) => columns.find(({ name }) => name === 'a'));
  const change = { change: 'alter_column', table: 'Book' };
  assert.deepEqual(planTable(blank, chosen), [{ ...change, from: none, to: column }]);
  assert.deepEqual(planTable(chosen, blank), [{ ...change, from: column, to: none }]);
  assert.equal(planTable(book(typed('a', 'Duration')), book(typed('a', 'Float')))[0]?.change, 'alter_column');
});

test('a column changes its kind only if every value survives', () => {
  for (const [from, to] of [
    ['Int', 'Float'],
    ['Check', 'Currency'],
    ['Int', 'Data'],
    ['Date', 'Text'],
    ['Float', 'Data'],
  ] as const) {
    const [step, ...rest] = planTable(book(typed('a', to)), book(typed('a', from)));
    assert.equal(step?.change, 'alter_column', `${from} to ${to}`);
    assert.deepEqual(rest, []);
  }
  for (const [from, to] of [
    ['Check', 'Int'],
    ['Data', 'Text'],
    ['Float', 'Percent'],
  ] as const) {
    assert.deepEqual(planTable(book(typed('a', to)), book(typed('a', from))), []);
  }
  for (const [from, to] of [
    ['Data', 'Int'],
    ['Float', 'Int'],
    ['Date', 'Datetime'],
    ['Datetime', 'Date'],
    ['Int', 'Date'],
  ] as const) {
    assert.throws(
      () => planTable(book(typed('a', to)), book(typed('a', from))),
      (error) =>
        error instanceof ServiceError && error.type === 'ValidationError' && error.message.includes(' a '),
      `${from} to ${to}`,
    );
  }
});

test('a column that differs from an old one only in case is refused', () => {
  assert.throws(() => planTable(book(data('Isbn')), book(data('isbn'))), ServiceError);
});
