import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDefinition } from './merge-definition.ts';
import { refusedProperty } from './property-rules.ts';

const field = (fieldname: string, more: object = {}) => ({ fieldname, fieldtype: 'Data', ...more });
const custom = (fieldname: string, insert_after: string | null = null) =>
  field(fieldname, { name: `Song-${fieldname}`, dt: 'Song', insert_after });
const setter = (field_name: string | null, property: string, value: string, property_type = 'Data') => ({
  doctype_or_field: field_name === null ? 'DocType' : 'DocField',
  field_name,
  property,
  property_type,
  value,
});
const SONG = { name: 'Song', fields: [field('title'), field('length')] };
const orderOf = (definition: Readonly<Record<string, unknown>>) =>
  (definition['fields'] as { fieldname: string }[]).map(({ fieldname }) => fieldname);

test('a definition without customizations is unchanged', () => {
  assert.equal(mergeDefinition(SONG, { fields: [], setters: [], permissions: [] }), SONG);
});

test('custom fields follow their insert_after, in order, the others come last', () => {
  for (const [fields, order] of [
    [[custom('a', 'title')], ['title', 'a', 'length']],
    [
      [custom('a', 'title'), custom('b', 'title')],
      ['title', 'a', 'b', 'length'],
    ],
    [
      [custom('b', 'a'), custom('a', 'title')],
      ['title', 'a', 'b', 'length'],
    ],
    [
      [custom('a'), custom('b', 'nowhere'), custom('c', 'length')],
      ['title', 'length', 'c', 'a', 'b'],
    ],
    [
      [custom('a', 'b'), custom('b', 'a'), custom('c', 'c')],
      ['title', 'length', 'c', 'a', 'b'],
    ],
    [
      [custom('Title', 'length'), custom('a', 'Length')],
      ['title', 'length', 'a'],
    ],
  ] as const) {
    assert.deepEqual(orderOf(mergeDefinition(SONG, { fields, setters: [], permissions: [] })), order);
  }
});

test('property setters change the doctype, its fields and custom fields; others have no effect', () => {
  const merged = mergeDefinition(SONG, {
    fields: [custom('a', 'title')],
    setters: [
      setter(null, 'sort_field', 'title'),
      setter('title', 'reqd', '1', 'Check'),
      setter('a', 'label', '7'),
      setter('gone', 'label', 'x'),
    ],
    permissions: [],
  });
  assert.equal(merged['sort_field'], 'title');
  const [title, a] = merged['fields'] as Record<string, unknown>[];
  assert.equal(title?.['reqd'], 1);
  assert.deepEqual([a?.['label'], a?.['is_custom_field'], 'dt' in (a ?? {})], ['7', 1, false]);
  assert.equal('reqd' in (SONG.fields[0] ?? {}), false);
});

test('a property setter may set only permitted properties', () => {
  const own = { of: 'DocField', isStandard: false } as const;
  const ours = { of: 'DocField', isStandard: true } as const;
  for (const property of ['label', 'hidden', 'options', 'permlevel', 'some_new_property']) {
    assert.equal(refusedProperty(own, property, '1'), null, property);
  }
  for (const property of ['fieldname', 'name', 'parent', '_x', 'a b', '']) {
    assert.notEqual(refusedProperty(own, property, '1'), null, property);
  }
  assert.equal(refusedProperty(ours, 'reqd', '1'), null);
  for (const [property, value] of [
    ['reqd', '0'],
    ['read_only', ''],
    ['permlevel', '0'],
    ['set_only_once', '0'],
    ['ignore_xss_filter', '1'],
    ['some_new_property', '1'],
  ] as const) {
    assert.notEqual(refusedProperty(ours, property, value), null, property);
  }
});
