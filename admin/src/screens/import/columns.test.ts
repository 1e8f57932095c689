import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chosenColumns, fill, keyFieldOf, keyTargets, missingTargets, targetLabels } from './columns.ts';
import type { Inspection, Target } from './import-data.ts';

const target = (key: string, more: Partial<Target> = {}): Target => {
  const table = key.includes('.') ? (key.split('.')[0] ?? null) : null;
  return { key, label: key, table, fieldtype: 'Data', reqd: 0, unique: 0, ...more };
};
const targets = [
  target('name'),
  target('email', { unique: 1 }),
  target('title', { reqd: 1 }),
  target('items', { reqd: 1, label: 'Rows' }),
  target('items.code', { unique: 1, reqd: 1, label: 'Rows' }),
];
const columns = [
  { key: 'Mail', head: 'Mail', target: 'email', by: 'head' },
  { key: 'Title', head: 'Title', target: 'title', by: 'head' },
  { key: '#3', head: '', target: null, by: null },
] as const satisfies Inspection['columns'];

describe('the columns of an import', () => {
  test('a field has one column: the last one that the user has chosen', () => {
    const mapping = fill(columns, {}, '#3', 'title');
    assert.deepEqual(mapping, { '#3': 'title', Title: null });
    const chosen = chosenColumns({ columns } as unknown as Inspection, mapping);
    assert.deepEqual(
      chosen.map((one) => one.target),
      ['email', null, 'title'],
    );
    assert.deepEqual(fill(chosen, mapping, 'Mail', null), { ...mapping, Mail: null });
  });

  test('documents are found by a unique field of their own that a column fills', () => {
    const rows = [...columns, { key: 'Code', head: 'Code', target: 'items.code', by: 'head' as const }];
    const possible = keyTargets(rows, targets);
    assert.deepEqual(
      possible.map(({ key }) => key),
      ['email'],
    );
    assert.equal(keyFieldOf({ keyField: 'name' }, possible), 'email');
    assert.equal(keyFieldOf({ keyField: null }, []), null);
  });

  test('a table is filled by a column of its rows', () => {
    const missing = (more: readonly string[]) =>
      missingTargets(
        more.map((key) => ({ key, head: key, target: key, by: 'head' })),
        targets,
      ).map(({ key }) => key);
    assert.deepEqual(missing([]), ['title', 'items']);
    assert.deepEqual(missing(['title', 'items.code']), []);
  });

  test('equal labels name their fields', () => {
    assert.deepEqual([...targetLabels(targets).values()].slice(2), [
      'title',
      'Rows (items)',
      'Rows (items.code)',
    ]);
  });
});
