import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Gate } from './gate.ts';

const LONG = 60_000;
const isBusy = { type: 'ServiceUnavailableError' };

/** A gate whose clock goes on only when the test says so. */
function timed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = (millis: number) => {
    now += millis;
  };
  return { gate: new Gate({ atOnce: 4, patience: 401 }), pass };
}

test('the gate admits up to its limit, and the next request waits', async () => {
  const gate = new Gate({ atOnce: 2, patience: LONG });
  assert.ok(gate.enter('a') && gate.enter('b'));
  assert.equal(gate.enter('c'), false);
  const order: string[] = [];
  const c = gate.wait('c').then(() => order.push('c'));
  const d = gate.wait('d').then(() => order.push('d'));
  gate.leave('a');
  await c;
  assert.deepEqual(order, ['c']);
  gate.leave('b');
  await d;
  assert.equal(gate.enter('e'), false);
});

test('one caller gets half of the places, and overtakes nobody', async () => {
  const gate = new Gate({ atOnce: 4, patience: LONG });
  assert.ok(gate.enter('greedy') && gate.enter('greedy'));
  assert.equal(gate.enter('greedy'), false);
  const greedy = gate.wait('greedy').then(() => 'greedy');
  assert.ok(gate.enter('a') && gate.enter('b'));
  const c = gate.wait('c').then(() => 'c');
  // The greedy one has waited longer, and may not come in.
  gate.leave('a');
  assert.equal(await Promise.race([greedy, c]), 'c');
  gate.leave('greedy');
  assert.equal(await greedy, 'greedy');
});

test('a wait times out, and its place is free again', async () => {
  const gate = new Gate({ atOnce: 1, patience: 5 });
  assert.ok(gate.enter('a'));
  await assert.rejects(gate.wait('b'), isBusy);
  gate.leave('a');
  assert.ok(gate.enter('b'));
});

test('a wait that would take too long is refused at once', async (t) => {
  const { gate, pass } = timed(t);
  for (const caller of ['a', 'a', 'b', 'b']) assert.ok(gate.enter(caller));
  const waits = Array.from({ length: 12 }, (_, index) => gate.wait(`caller ${index}`));
  // Each 100 ms, one leaves.
  let last = 'a';
  for (let index = 0; index < 10; index += 1) {
    pass(100);
    gate.leave(last);
    await waits[index];
    last = `caller ${index}`;
  }
  // Behind two others, a request expects to wait for half of the patience.
  const third = gate.wait('c');
  await assert.rejects(gate.wait('d'), isBusy);
  for (const caller of ['a', 'b', 'b']) gate.leave(caller);
  await third;
});

test('the queue of one caller does not get other callers refused', async (t) => {
  const { gate, pass } = timed(t);
  for (const caller of ['greedy', 'greedy', 'a', 'b']) assert.ok(gate.enter(caller));
  const greedy = Array.from({ length: 8 }, () => gate.wait('greedy'));
  for (let index = 0; index < 8; index += 1) {
    pass(100);
    gate.leave('greedy');
    await greedy[index];
    if (index < 7) greedy.push(gate.wait('greedy'));
  }
  await assert.rejects(gate.wait('greedy'), isBusy);
  const c = gate.wait('c');
  gate.leave('a');
  await c;
});

test('the queue is limited, and one caller gets half of it', async () => {
  const gate = new Gate({ atOnce: 2, patience: LONG });
  assert.ok(gate.enter('a') && gate.enter('b'));
  const greedy = Array.from({ length: 4 }, () => gate.wait('greedy'));
  await assert.rejects(gate.wait('greedy'), isBusy);
  const others = ['c', 'd', 'e', 'f'].map((caller) => gate.wait(caller));
  await assert.rejects(gate.wait('g'), isBusy);
  // Each that comes in leaves at once, in the order in which they may.
  const order: string[] = [];
  const pass = (caller: string, entry: Promise<void>) =>
    entry.then(() => {
      order.push(caller);
      gate.leave(caller);
    });
  const all = [
    ...greedy.map((entry) => pass('greedy', entry)),
    ...['c', 'd', 'e', 'f'].map((caller, index) => pass(caller, others[index] ?? Promise.reject())),
  ];
  gate.leave('a');
  await Promise.all(all);
  assert.deepEqual(order, [...Array(4).fill('greedy'), 'c', 'd', 'e', 'f']);
});
