import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf, rebased } from './differences.ts';
import { changed, type Draft, draftOf, inserted, moved, newField, removed } from './draft.ts';

const DEFINITION = {
  name: 'Song',
  title_field: 'title',
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
    { fieldname: 'singer', label: 'Singer', fieldtype: 'Data' },
    { fieldname: 'length', label: 'Length', fieldtype: 'Int' },
  ],
  permissions: [{ role: 'All', read: 1 }],
};
const base = draftOf(DEFINITION, true);
const keyOf = (name: string) => base.fields.find(({ values }) => values['fieldname'] === name)?.key ?? '';
const names = ({ fields }: Draft) => fields.map(({ values }) => values['fieldname']);

test('what a draft adds, removes and changes', () => {
  const mood = newField(base.fields, 'Select', { label: 'Mood' });
  const fields = inserted(
    removed(changed(base.fields, keyOf('singer'), 'reqd', 1), keyOf('length')),
    mood,
    1,
  );
  const found = differencesOf(base, { ...base, fields, properties: { ...base.properties, icon: 'star' } });
  assert.deepEqual(
    found.added.map(({ values }) => values['fieldname']),
    ['mood'],
  );
  assert.deepEqual(
    found.removed.map(({ values }) => values['fieldname']),
    ['length'],
  );
  assert.deepEqual(
    found.changed.map(({ changes }) => changes),
    [[{ property: 'reqd', from: null, to: 1 }]],
  );
  assert.deepEqual(found.properties, [{ property: 'icon', from: null, to: 'star' }]);
  assert.equal(found.isReordered, false);
  assert.equal(
    differencesOf(base, { ...base, fields: moved(base.fields, keyOf('length'), 0) }).isReordered,
    true,
  );
});

test('my changes made again on top of those of somebody else', () => {
  const mood = newField(base.fields, 'Select', { label: 'Mood' });
  const mine: Draft = {
    ...base,
    properties: { ...base.properties, icon: 'star' },
    fields: removed(
      inserted(changed(base.fields, keyOf('singer'), 'label', 'Artist'), mood, 2),
      keyOf('length'),
    ),
  };
  const theirs = draftOf(
    {
      ...DEFINITION,
      description: 'Theirs',
      fields: [
        DEFINITION.fields[0],
        { fieldname: 'singer', label: 'Voice', fieldtype: 'Data', reqd: 1 },
        { fieldname: 'year', label: 'Year', fieldtype: 'Int' },
        DEFINITION.fields[2],
      ],
    },
    true,
  );
  const both = rebased(base, mine, theirs);
  assert.deepEqual(names(both), ['title', 'singer', 'mood', 'year']);
  assert.deepEqual(both.fields[1]?.values, {
    fieldname: 'singer',
    label: 'Artist',
    fieldtype: 'Data',
    reqd: 1,
  });
  assert.deepEqual([both.properties['icon'], both.properties['description']], ['star', 'Theirs']);
});
