import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { choosing, chosenCount, EVERYTHING, isChosen, isNothing, NOTHING } from './list-selection.ts';

test('what was done last to a row holds, whether one began with none or with all', () => {
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

test('all of an unknown number is no number', () => {
  assert.equal(chosenCount(EVERYTHING, null), null);
  assert.equal(chosenCount(choosing(EVERYTHING, ['a'], false), 10), 9);
  assert.equal(isNothing(EVERYTHING), false);
  assert.equal(isNothing(NOTHING), true);
});
