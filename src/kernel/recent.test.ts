import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from './recent.ts';

test('entries in use stay, others are forgotten, and the number is bounded', () => {
  const cache = new Recent<number>(10);
  cache.set('in use', -1);
  for (let at = 0; at < 1_000; at += 1) {
    cache.set(`key ${at}`, at);
    assert.equal(cache.get('in use'), -1);
  }
  const kept = Array.from({ length: 1_000 }, (_, at) => cache.get(`key ${at}`)).filter(
    (value) => value !== undefined,
  );
  assert.ok(kept.length <= 20, `${kept.length} entries`);
});

test('a deleted entry is gone from both generations', () => {
  const cache = new Recent<string>(1);
  cache.set('a', 'first');
  cache.set('b', 'second');
  assert.equal(cache.get('a'), 'first');
  cache.delete('a');
  assert.equal(cache.get('a'), undefined);
  cache.clear();
  assert.equal(cache.get('b'), undefined);
});
