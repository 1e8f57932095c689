import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRecord, failAtInstants, OMISSIONS, recordWork } from './trial.ts';

const skip = canRecord() ? false : 'this needs Linux and gcc';

test('promises are kept when the power fails, and syncs that are left out are noticed', {
  skip,
}, async () => {
  const changes = recordWork(1);
  assert.deepEqual(await failAtInstants(changes, { seeds: [1, 2, 3, 4, 5, 6] }), []);
  // Right after the last promise, all that is not synced is lost.
  const seeds = [300];
  const end = changes.findLastIndex(({ kind }) => kind === 'promise') + 1;
  const atEnd = { seeds, instantOf: () => end };
  assert.deepEqual(await failAtInstants(changes, atEnd), []);
  for (const omission of OMISSIONS.filter(({ name }) => /data directory|secret.key/.test(name))) {
    const [failure] = await failAtInstants(changes, { ...atEnd, omission });
    assert.ok(failure, omission.name);
  }
});
