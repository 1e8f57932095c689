import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from '../../base/commands.ts';
import { matching } from './match.ts';

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
  test('finds by every word, wherever it stands', () => {
    assert.deepEqual(labels('inv new', command('New Sales Invoice'), command('New Ticket')), [
      'New Sales Invoice',
    ]);
  });

  test('puts what begins with the word first', () => {
    assert.deepEqual(labels('file', command('My profile'), command('Files'), command('New file')), [
      'Files',
      'New file',
      'My profile',
    ]);
  });

  test('knows no case and no accents', () => {
    assert.deepEqual(labels('loschen', command('Löschen')), ['Löschen']);
  });

  test('finds by words that are not shown', () => {
    assert.deepEqual(labels('ticket', command('Vorgang', { keywords: 'Ticket' })), ['Vorgang']);
  });

  test('shows what there is where nothing is typed, up to a bound', () => {
    assert.equal(matching([command('A'), command('B')], '  ', 1).length, 1);
  });
});
