import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cachedDataVersionTag } from 'node:v8';
import { spareMemory } from './spare-memory.ts';

test('V8 takes the setting, and has its own again at the end, so that compiled code stays usable', () => {
  const before = cachedDataVersionTag();
  const end = spareMemory();
  assert.notEqual(cachedDataVersionTag(), before);
  end();
  assert.equal(cachedDataVersionTag(), before);
});
