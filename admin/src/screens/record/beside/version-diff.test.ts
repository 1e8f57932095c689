import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVersion } from './version-diff.ts';

test('a version lists changed fields and rows', () => {
  const diff = readVersion(
    JSON.stringify({
      added: [['items', { name: 'a1', idx: 2, item: 'Pen', qty: 1, parent: 'B' }]],
      removed: [['items', { name: 'a0', idx: 1, item: 'Ink' }]],
      changed: [['title', null, 'Now']],
      row_changed: [['items', 0, 'a2', [['qty', 1, 2]]]],
    }),
  );
  assert.deepEqual(diff, {
    fields: [{ fieldname: 'title', before: null, after: 'Now' }],
    rows: [
      {
        table: 'items',
        kind: 'added',
        number: 2,
        fields: [
          { fieldname: 'item', before: null, after: 'Pen' },
          { fieldname: 'qty', before: null, after: 1 },
        ],
      },
      {
        table: 'items',
        kind: 'removed',
        number: 1,
        fields: [{ fieldname: 'item', before: 'Ink', after: null }],
      },
      { table: 'items', kind: 'changed', number: 1, fields: [{ fieldname: 'qty', before: 1, after: 2 }] },
    ],
    isTruncated: false,
  });
});

test('invalid data shows no changes', () => {
  for (const data of ['', 'null', '[]', '{', '{"changed":[1,[],{}],"added":"x","row_changed":[["t"]]}'])
    assert.deepEqual(readVersion(data).fields, []);
});
