import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../send/delivery.ts';
import { Marks } from './marks.ts';

const deliveries = Array.from({ length: 5 }, (_, id) => ({ id }) as Delivery);
const [first, second, third, fourth, fifth] = deliveries as [
  Delivery,
  Delivery,
  Delivery,
  Delivery,
  Delivery,
];

test('deliveries that begin during a write are recorded together in the next', async () => {
  const written: (readonly Delivery[])[] = [];
  const marks = new Marks({
    async mark(batch) {
      written.push(batch);
      await new Promise(setImmediate);
      return batch.filter((delivery) => delivery !== third);
    },
  });
  const one = marks.make(first);
  await Promise.resolve();
  const others = [second, third, fourth].map((delivery) => marks.make(delivery));
  assert.deepEqual(await Promise.all([one, ...others]), [true, true, false, true]);
  assert.equal(await marks.make(fifth), true);
  assert.deepEqual(written, [[first], [second, third, fourth], [fifth]]);
});

test('a failed write is reported to its deliveries, and the next write runs', async () => {
  let calls = 0;
  const marks = new Marks({
    async mark(batch) {
      calls += 1;
      if (calls === 1) throw new Error('the database is away');
      return batch;
    },
  });
  const one = marks.make(first);
  await Promise.resolve();
  const two = marks.make(second);
  await assert.rejects(one, /away/);
  assert.equal(await two, true);
});
