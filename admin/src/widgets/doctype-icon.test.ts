import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DrawnDoctype, iconOfDoctype } from './doctype-icon.ts';

const icon = (name: string, more: Partial<DrawnDoctype> = {}) =>
  iconOfDoctype({ name, icon: '', issingle: false, is_tree: false, ...more });

describe('the icon of a doctype', () => {
  test('is that of its definition, whichever set it comes from', () => {
    assert.equal(icon('Anything', { icon: 'calendar' }), 'calendar');
    assert.equal(icon('Anything', { icon: 'fa fa-user' }), 'user');
    assert.equal(icon('Anything', { icon: 'octicon octicon-tag' }), 'tag');
    assert.equal(icon('Anything', { icon: 'icon-shopping-cart' }), 'cart');
  });

  test('fits the name if the definition has none, or one that nobody knows', () => {
    assert.equal(icon('Sales Invoice'), 'receipt');
    assert.equal(icon('Ticket', { icon: 'es-line-unheard-of' }), 'ticket');
  });

  test('fits the kind if the name says nothing', () => {
    assert.equal(icon('Zyx', { issingle: true }), 'settings');
    assert.equal(icon('Zyx', { is_tree: true }), 'tree');
    assert.equal(icon('Zyx'), 'list');
  });
});
