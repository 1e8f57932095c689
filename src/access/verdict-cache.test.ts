import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VerdictCache } from './verdict-cache.ts';

function cacheAt(start: number) {
  const time = { now: start };
  return { time, cache: new VerdictCache<string>(100, () => time.now) };
}

test('a cached verdict is used until it expires, then verified again', async () => {
  const { time, cache } = cacheAt(0);
  const seen: (string | null)[] = [];
  const ask = (answer: string | null) =>
    cache.get('key', async (last) => {
      seen.push(last);
      return answer;
    });
  assert.equal(await ask('first'), 'first');
  time.now = 99;
  assert.equal(await ask('unasked'), 'first');
  time.now = 100;
  assert.equal(await ask('second'), 'second');
  time.now = 200;
  assert.equal(await ask(null), null);
  assert.equal(await ask('third'), 'third');
  assert.deepEqual(seen, [null, 'first', 'second', null]);
});

test('concurrent requests share one verification; a failure is not cached', async () => {
  const { cache } = cacheAt(0);
  const first = Promise.withResolvers<string | null>();
  const asked = [1, 2, 3].map(() => cache.get('key', () => first.promise));
  first.reject(new Error('database gone'));
  for (const one of asked) await assert.rejects(one, /database gone/);
  assert.equal(await cache.get('key', async () => 'back'), 'back');
});

test('a verification that began before an invalidation is not cached', async () => {
  const { cache } = cacheAt(0);
  const slow = Promise.withResolvers<string | null>();
  const before = cache.get('key', () => slow.promise);
  cache.forget();
  const after = cache.get('key', async () => 'new');
  slow.resolve('old');
  assert.equal(await before, 'old');
  assert.equal(await after, 'new');
  assert.equal(await cache.get('key', async () => 'unasked'), 'new');
});

test('the cache is bounded', async () => {
  const { cache } = cacheAt(0);
  for (let at = 0; at <= 10_000; at += 1) await cache.get(`key ${at}`, async () => 'kept');
  assert.equal(await cache.get('key 0', async () => 'asked again'), 'asked again');
  assert.equal(await cache.get('key 10000', async () => 'unasked'), 'kept');
});
