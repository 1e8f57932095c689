import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachName } from './each.ts';

it('processes every item, and reports the failures', async () => {
  let running = 0;
  let most = 0;
  const seen: number[] = [];
  const outcome = await forEachName(
    ['a', 'b', 'c', 'd', 'e'],
    async (name) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (name === 'b') throw new Error('no');
    },
    (finished) => seen.push(finished),
    2,
  );
  assert.equal(most, 2);
  assert.equal(outcome.done, 4);
  assert.deepEqual(
    outcome.failures.map(({ name }) => name),
    ['b'],
  );
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
