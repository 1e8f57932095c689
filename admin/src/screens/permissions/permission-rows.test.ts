import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  byKey,
  changesOf,
  type PermissionRow,
  restored,
  reversed,
  withRight,
  withRow,
} from './permission-rows.ts';

const row = (role: string, ...rights: readonly ('read' | 'write' | 'create')[]): PermissionRow => ({
  doctype: 'Bill',
  role,
  permlevel: 0,
  ifOwner: false,
  rights: new Set(rights),
});
const stored = byKey([row('Clerk', 'read', 'write'), row('Guest', 'read')]);

test('a right brings those that it requires, and takes those that require it', () => {
  assert.deepEqual([...withRight(new Set(['read']), 'cancel', true)].sort(), [
    'cancel',
    'read',
    'submit',
    'write',
  ]);
  const all = new Set(['read', 'write', 'create', 'submit', 'cancel', 'amend', 'import'] as const);
  assert.deepEqual([...withRight(all, 'write', false)].sort(), ['create', 'import', 'read']);
});

test('a draft forgets a row that is as stored', () => {
  const changed = withRow(new Map(), stored, row('Clerk', 'read'));
  assert.equal(changesOf(changed, stored).length, 1);
  assert.equal(withRow(changed, stored, row('Clerk', 'write', 'read')).size, 0);
});

test('the reverse of a change restores it', () => {
  const [change] = changesOf(withRow(new Map(), stored, row('Clerk', 'read')), stored);
  const [undone] = reversed(change ? [change] : []);
  assert.deepEqual([...(undone?.rights ?? [])], ['read', 'write']);
  assert.deepEqual([...(undone?.was ?? [])], ['read']);
});

test('restored rows are those of the definition, and others lose their rights', () => {
  const changes = changesOf(restored(new Map(), stored, [row('Clerk', 'read')], 'Bill'), stored);
  assert.deepEqual(
    changes.map(({ role, rights }) => [role, [...rights]]),
    [
      ['Clerk', ['read']],
      ['Guest', []],
    ],
  );
});
