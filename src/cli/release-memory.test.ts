import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { releaseMemory } from './release-memory.ts';

test('garbage is collected', async () => {
  const garbage = new WeakRef({});
  // A WeakRef keeps its target until the end of the turn that made it.
  await setImmediate();
  releaseMemory();
  assert.equal(garbage.deref(), undefined);
});

test('compiled code of former starts stays usable', () => {
  const before = cachedDataVersionTag();
  releaseMemory();
  assert.equal(cachedDataVersionTag(), before);
});
