import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCharacterShortcut, nameOfPress, shownKeys } from './keys.ts';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('keys', () => {
  test('have the same name on every system', () => {
    assert.equal(nameOfPress(press('k', { ctrlKey: true }), false), 'mod+k');
    assert.equal(nameOfPress(press('k', { metaKey: true }), true), 'mod+k');
    assert.equal(nameOfPress(press('k', { ctrlKey: true }), true), 'other+k');
    assert.equal(nameOfPress(press('?', { shiftKey: true }), false), '?');
    assert.equal(nameOfPress(press('Z', { shiftKey: true, ctrlKey: true }), false), 'shift+mod+z');
    assert.equal(nameOfPress(press('ArrowUp', { altKey: true }), false), 'alt+ArrowUp');
  });

  test('are either text or commands', () => {
    assert.deepEqual(['n', '?', 'g d', 'mod+k', 'Enter', 'shift+x'].map(isCharacterShortcut), [
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  test('are shown as labelled on the keyboard', () => {
    assert.deepEqual(shownKeys('mod+k', true), ['⌘', 'K']);
    assert.deepEqual(shownKeys('g d', false), ['G', 'D']);
  });
});
