import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { choosing, chosenCount, EVERYTHING, isChosen, isNothing, NOTHING } from './list-selection.ts';

test('the last action on a row wins, starting from none or from all', () => {
  const step = fc.tuple(fc.subarray(['a', 'b', 'c', 'd']), fc.boolean());
  fc.assert(
    fc.property(fc.constantFrom(NOTHING, EVERYTHING), fc.array(step), (begin, steps) => {
      const expected = new Map(['a', 'b', 'c', 'd'].map((name) => [name, begin === EVERYTHING]));
      let selection = begin;
      for (const [names, isOn] of steps) {
        selection = choosing(selection, names, isOn);
        for (const name of names) expected.set(name, isOn);
      }
      for (const [name, isOn] of expected) assert.equal(isChosen(selection, name), isOn);
      assert.equal(chosenCount(selection, 4), [...expected.values()].filter(Boolean).length);
    }),
  );
});

test('selecting all of an unknown count has no count', () => {
  assert.equal(chosenCount(EVERYTHING, null), null);
  assert.equal(chosenCount(choosing(EVERYTHING, ['a'], false), 10), 9);
  assert.equal(isNothing(EVERYTHING), false);
  assert.equal(isNothing(NOTHING), true);
});
