import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolvedOn } from './resolved-on.ts';

const EARLIER = '2026-01-01 10:00:00.000000';
const NOW = '2026-01-02 10:00:00.000000';

test('the moment is stamped when a ticket becomes Resolved or Closed', () => {
  assert.equal(resolvedOn('Resolved', { status: 'Open', resolved_on: null }, NOW), NOW);
  assert.equal(resolvedOn('Closed', null, NOW), NOW);
});

test('the moment is kept from Resolved to Closed and forgotten when the ticket is opened again', () => {
  const before = { status: 'Resolved', resolved_on: EARLIER };
  assert.equal(resolvedOn('Closed', before, NOW), EARLIER);
  assert.equal(resolvedOn('Open', before, NOW), null);
});

test('a second resolution has its own moment', () => {
  assert.equal(resolvedOn('Resolved', { status: 'Replied', resolved_on: null }, NOW), NOW);
});
