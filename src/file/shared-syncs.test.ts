import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sharedSyncs } from './shared-syncs.ts';

/** Syncs that the test ends, in the order of their beginning. */
function controlled() {
  const begun: { readonly path: string; readonly end: PromiseWithResolvers<void> }[] = [];
  const syncEntries = sharedSyncs((path) => {
    const end = Promise.withResolvers<void>();
    begun.push({ path, end });
    return end.promise;
  });
  const done: string[] = [];
  const ask = (path: string, name: string) =>
    syncEntries(path).then(
      () => void done.push(name),
      (error: Error) => void done.push(`${name}: ${error.message}`),
    );
  const end = async (index: number, error?: Error) => {
    const sync = begun[index]?.end;
    assert.ok(sync, `sync ${index} has not begun`);
    if (error) sync.reject(error);
    else sync.resolve();
    await turn();
  };
  return { begun, done, ask, end };
}

describe('syncs of a directory', () => {
  test('a caller is told after a sync that began when it asked or later, which all who wait share', async () => {
    const { begun, done, ask, end } = controlled();
    void ask('a', 'first');
    void ask('a', 'second');
    void ask('a', 'third');
    await turn();
    assert.equal(begun.length, 1);
    await end(0);
    assert.deepEqual([done, begun.length], [['first'], 2]);
    void ask('a', 'fourth');
    await end(1);
    assert.deepEqual([done, begun.length], [['first', 'second', 'third'], 3]);
    await end(2);
    assert.deepEqual([done.at(-1), begun.length], ['fourth', 3]);
    void ask('a', 'fifth');
    assert.equal(begun.length, 4);
    await end(3);
    assert.equal(done.at(-1), 'fifth');
  });

  test('directories do not wait for each other', async () => {
    const { begun, done, ask, end } = controlled();
    void ask('a', 'in a');
    void ask('b', 'in b');
    assert.deepEqual(
      begun.map(({ path }) => path),
      ['a', 'b'],
    );
    await end(1);
    assert.deepEqual(done, ['in b']);
    await end(0);
  });

  test('a failure reaches all who wait, and none who ask later', async () => {
    const { begun, done, ask, end } = controlled();
    void ask('a', 'first');
    void ask('a', 'second');
    await end(0, new Error('EIO'));
    assert.deepEqual(done, ['first: EIO', 'second: EIO']);
    void ask('a', 'third');
    assert.equal(begun.length, 2);
    await end(1);
    assert.equal(done.at(-1), 'third');
  });
});
