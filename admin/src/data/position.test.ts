import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteNews, positionOf } from './position.ts';

test('what others changed is read from the primary, until a change of this page comes after it', () => {
  const asksPrimary = () => 'x-chancery-position' in positionOf('GET').headers;
  assert.equal(asksPrimary(), false);
  noteNews();
  assert.equal(asksPrimary(), true);
  positionOf('GET').answered(200);
  assert.equal(asksPrimary(), true);
  const early = positionOf('POST');
  noteNews();
  early.answered(200);
  assert.equal(asksPrimary(), true, 'the change began before the news');
  positionOf('PUT').answered(200);
  early.answered(200);
  assert.equal(asksPrimary(), false);
  for (const status of [503, null]) {
    positionOf('GET').answered(status);
    positionOf('PUT').answered(417);
    assert.equal(asksPrimary(), false, 'nothing was changed');
    positionOf('PUT').answered(status);
    positionOf('PUT').answered(417);
    assert.equal(asksPrimary(), true, 'the change may have been made');
    positionOf('PUT').answered(200);
  }
});
