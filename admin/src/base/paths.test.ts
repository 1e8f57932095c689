import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hrefOf, paths } from './paths.ts';

describe('addresses of screens', () => {
  test('hold any name', () => {
    assert.equal(paths.record('Sales Invoice', 'a/b?c#d%'), '/d/Sales%20Invoice/a%2Fb%3Fc%23d%25');
    assert.equal(hrefOf(paths.home()), '/app');
    assert.equal(hrefOf(paths.doctypes()), '/app/doctypes');
  });

  test('carry values that are parsed to the same values', () => {
    assert.equal(
      paths.list('Ticket', { filters: [['a', '=', 1]], q: 'text', n: '12', none: undefined }),
      '/d/Ticket?filters=%5B%5B%22a%22%2C%22%3D%22%2C1%5D%5D&q=text&n=%2212%22',
    );
  });
});
