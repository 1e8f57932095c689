import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemResolver } from './resolve-names.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('two names are resolved at a time, each once for all callers', async () => {
  const asked: string[] = [];
  const answers = new Map<string, (addresses: readonly string[]) => void>();
  const resolve = systemResolver((hostname) => {
    asked.push(hostname);
    return new Promise((settle) => answers.set(hostname, settle));
  });
  const all = ['a', 'b', 'a', 'c', 'd'].map((name) => resolve(name));
  await turn();
  assert.deepEqual(asked, ['a', 'b']);
  answers.get('a')?.(['1.1.1.1']);
  await turn();
  assert.deepEqual(asked, ['a', 'b', 'c']);
  for (const name of ['b', 'c']) answers.get(name)?.([]);
  await turn();
  answers.get('d')?.(['2.2.2.2']);
  assert.deepEqual(await Promise.all(all), [['1.1.1.1'], [], ['1.1.1.1'], [], ['2.2.2.2']]);
  // What was answered is not remembered: the next connection asks again.
  void resolve('a');
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'a']);
});

test('an unresolvable name does not delay the others', async () => {
  const resolve = systemResolver(async (hostname) => {
    if (hostname.startsWith('bad')) throw new Error('no such name');
    return [hostname];
  });
  const results = await Promise.allSettled(['bad-1', 'bad-2', 'bad-3', 'good'].map((name) => resolve(name)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected', 'fulfilled'],
  );
});
