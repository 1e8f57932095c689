import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memo, memo2 } from './memo.ts';

test('a value is computed once for each key, null included', () => {
  const asked: object[] = [];
  const compute = memo((key: { readonly value: number | null }) => {
    asked.push(key);
    return key.value;
  });
  const [one, none] = [{ value: 1 }, { value: null }];
  assert.deepEqual([compute(one), compute(none), compute(one), compute(none)], [1, null, 1, null]);
  assert.deepEqual(asked, [one, none]);
});

test('a value is computed once for each pair of keys', () => {
  let computed = 0;
  const pairOf = memo2((first: object, second: object) => {
    computed += 1;
    return [first, second];
  });
  const [a, b] = [{}, {}];
  assert.deepEqual(pairOf(a, b), [a, b]);
  assert.equal(pairOf(a, b), pairOf(a, b));
  assert.notEqual(pairOf(a, b), pairOf(b, a));
  assert.equal(computed, 2);
});

test('a failed computation is not cached', () => {
  const key = {};
  let fails = true;
  const compute = memo(() => {
    if (fails) throw new Error('not yet');
    return 'value';
  });
  assert.throws(() => compute(key), /not yet/);
  fails = false;
  assert.equal(compute(key), 'value');
});
