import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { DEFAULT_CONFIG } from '../../config/config.ts';
import { queueWhenLate } from './late-queue.ts';

/** Milliseconds of the event loop that each request takes here. */
const EACH = 100;

test('a request that would queue too long is refused at once, and all others are answered', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const app = Fastify();
  queueWhenLate(app, { ...DEFAULT_CONFIG.admission, lateness: 20, patience: 21 * EACH });
  const more: Promise<number>[] = [];
  const send = async (path: string) => (await app.inject(path)).statusCode;
  app.get('/work', async () => {
    now += EACH;
    return 'done';
  });
  app.get('/flood', async () => {
    now += EACH;
    for (let index = 0; index < 40; index += 1) more.push(send('/work'));
    return 'done';
  });
  // The pace is known after some requests.
  const first = [...Array(12).fill('/work'), '/flood', '/work', '/work'].map(send);
  for (const status of await Promise.all(first)) assert.equal(status, 200);
  // Two requests wait already. Behind ten, a request expects to wait for half of the patience.
  assert.deepEqual(await Promise.all(more), [...Array(9).fill(200), ...Array(40 - 9).fill(503)]);
  await app.close();
});
