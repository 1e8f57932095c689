import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from '../../base/commands.ts';
import { grouped, matching } from './match.ts';

const command = (label: string, more: Partial<Command> = {}): Command => ({
  id: label,
  label,
  group: 'Go to',
  run() {},
  ...more,
});
const labels = (typed: string, ...commands: Command[]) =>
  matching(commands, typed, 10).map((one) => one.label);

describe('the palette', () => {
  test('matches every word of the query, in any order', () => {
    assert.deepEqual(labels('inv new', command('New Sales Invoice'), command('New Ticket')), [
      'New Sales Invoice',
    ]);
  });

  test('ranks matches at the beginning first', () => {
    assert.deepEqual(labels('file', command('My profile'), command('Files'), command('New file')), [
      'Files',
      'New file',
      'My profile',
    ]);
  });

  test('ignores case and accents', () => {
    assert.deepEqual(labels('loschen', command('Löschen')), ['Löschen']);
  });

  test('matches hidden keywords too', () => {
    assert.deepEqual(labels('ticket', command('Vorgang', { keywords: 'Ticket' })), ['Vorgang']);
  });

  test('lists all entries for an empty query, up to a limit', () => {
    assert.equal(matching([command('A'), command('B')], '  ', 1).length, 1);
  });

  test('shows commands of a group together, and only so many', () => {
    const all = [
      command('A', { group: 'One' }),
      command('B', { group: 'Two' }),
      command('C', { group: 'One' }),
      command('D', { group: 'One' }),
    ];
    assert.deepEqual(
      grouped(all, 2).map(({ label }) => label),
      ['A', 'C', 'B'],
    );
  });
});
