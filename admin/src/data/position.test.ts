import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteNews, positionOf } from './position.ts';

test('what others changed is read from the primary, until a change of this page comes after it', () => {
  const asksPrimary = () => 'x-chancery-position' in positionOf('GET').headers;
  assert.equal(asksPrimary(), false);
  noteNews();
  assert.equal(asksPrimary(), true);
  positionOf('GET').succeeded();
  assert.equal(asksPrimary(), true);
  const early = positionOf('POST');
  noteNews();
  early.succeeded();
  assert.equal(asksPrimary(), true, 'the change began before the news');
  positionOf('PUT').succeeded();
  early.succeeded();
  assert.equal(asksPrimary(), false);
});
