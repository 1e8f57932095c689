import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../kernel/limits.ts';
import type { ToWorker } from '../site/siblings.ts';
import { type Member, Relay } from './relay.ts';

class FakeMember implements Member {
  readonly received: ToWorker[] = [];
  /** Its channel takes no more. */
  hangs = false;
  isConnected(): boolean {
    return true;
  }
  send(message: ToWorker, sent: (error: Error | null) => void): void {
    this.received.push(message);
    if (!this.hangs) sent(null);
  }
}

function members(relay: Relay, count: number): FakeMember[] {
  return Array.from({ length: count }, (_, index) => {
    const member = new FakeMember();
    relay.receive(member, index + 1, { kind: 'join', id: 5 });
    assert.deepEqual(member.received.splice(0), [{ kind: 'answers', id: 5, answers: [] }]);
    return member;
  });
}

const ask = (relay: Relay, asker: Member, id: number) =>
  relay.receive(asker, 1, { kind: 'ask', id, topic: 'a', question: 'b' });

/** Answers the last question. */
function answer(relay: Relay, member: FakeMember, number: number): void {
  const last = member.received.findLast(({ kind }) => kind === 'question');
  relay.receive(member, number, { kind: 'answer', id: last?.id ?? 0, answer: number });
}

test('a question goes to all other workers, and the last answer ends it', () => {
  const relay = new Relay();
  const [asker, second, third] = members(relay, 3);
  assert.ok(asker && second && third);
  ask(relay, asker, 7);
  assert.deepEqual(
    [second, third].map(({ received }) => received.map(({ kind }) => kind)),
    [['question'], ['question']],
  );
  answer(relay, third, 3);
  assert.deepEqual(asker.received, []);
  answer(relay, second, 2);
  const answers = [
    { worker: 3, answer: 3 },
    { worker: 2, answer: 2 },
  ];
  assert.deepEqual(asker.received, [{ kind: 'answers', id: 7, answers }]);
});

test('a worker without others gets no answers, and nobody waits for a worker that has ended', () => {
  const relay = new Relay();
  const [asker, second] = members(relay, 2);
  assert.ok(asker && second);
  ask(relay, asker, 1);
  relay.leave(second);
  ask(relay, asker, 2);
  assert.deepEqual(
    asker.received,
    [1, 2].map((id) => ({ kind: 'answers', id, answers: [] })),
  );
});

test('a worker that is late is asked, but not waited for until it answers again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const relay = new Relay();
  const [asker, late] = members(relay, 2);
  assert.ok(asker && late);
  ask(relay, asker, 1);
  t.mock.timers.tick(LIMITS.workerAnswer);
  ask(relay, asker, 2);
  assert.equal(asker.received.length, 2);
  assert.equal(late.received.length, 2);
  answer(relay, late, 2);
  ask(relay, asker, 3);
  assert.equal(asker.received.length, 2);
  answer(relay, late, 2);
  assert.equal(asker.received.length, 3);
});

test('what needs no answer goes to the other workers that keep up', () => {
  const relay = new Relay();
  const [teller, second, third] = members(relay, 3);
  assert.ok(teller && second && third);
  third.hangs = true;
  const told = 1_000;
  for (let count = 0; count < told; count += 1) {
    relay.receive(teller, 1, { kind: 'tell', topic: 'a', question: count });
  }
  assert.deepEqual(teller.received, []);
  assert.deepEqual(second.received.at(-1), { kind: 'question', id: null, topic: 'a', question: told - 1 });
  assert.equal(second.received.length, told);
  assert.ok(third.received.length < 100);
});
