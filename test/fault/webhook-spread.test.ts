/** The documents of one webhook are sent by several processes, in order whatever happens to these. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { FairFlow } from '../../src/webhook/flow/fair-flow.ts';
import { Homes } from '../../src/webhook/queue/homes.ts';
import { type Staged, stageDeliveries } from '../../src/webhook/queue/outbox.ts';
import { PostgresQueue } from '../../src/webhook/queue/postgres-queue.ts';
import type { Settlement } from '../../src/webhook/queue/queue.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import { Dispatcher } from '../../src/webhook/worker/dispatcher.ts';
import { Targets } from '../../src/webhook/worker/target-cache.ts';
import { useQueueSite } from '../support/queue-site.ts';
import { PATIENCE, until } from '../support/until.ts';

const HOOK = 'hook-1';
const NOW = sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

function settled(delivery: Delivery, state: 'delivered' | 'retry'): Settlement {
  const at = '2026-11-21 10:00:00.000000';
  const outcome = { error: null, status: 200, response: '', remoteIp: null, retryAfter: null, millis: 1 };
  return { delivery, state, delay: 0, nextRetry: null, startedAt: at, endedAt: at, outcome };
}

const namesOf = (what: string, count = 30) => Array.from({ length: count }, (_, index) => `${what}-${index}`);

function homeAmong(...nodes: readonly [string, ...string[]]): string {
  const homes = new Homes(nodes[0]);
  homes.update(nodes.map((node) => ({ node, fast: null })));
  return homes.senderOf(HOOK, '');
}

describe('a webhook with a fast receiver', () => {
  const queues = useQueueSite('postgres', [HOOK]);
  let passed = 0;
  beforeEach(() => {
    passed = 0;
    const { now } = performance;
    mock.method(performance, 'now', () => now.call(performance) + passed);
  });
  afterEach(() => mock.restoreAll());

  async function join(node: string): Promise<PostgresQueue> {
    const queue = new PostgresQueue(queues.site, node);
    await queue.join();
    return queue;
  }

  function stage(...documents: readonly string[]): Promise<Staged[]> {
    const frozen = { method: 'POST', url: 'http://127.0.0.1/', headers: '{}', body: '{}', failure: null };
    const about = { webhook: HOOK, event: 'on_update', doctypeName: 'User', ...frozen };
    return unitOfWork(queues.site, ADMINISTRATOR, (ctx) =>
      stageDeliveries(
        ctx,
        documents.map((docName) => ({ ...about, docName })),
      ),
    );
  }

  const take = (queue: PostgresQueue, undivided = false) =>
    queue.take([{ webhook: HOOK, limit: 100, undivided }]);
  const tend = async (nodes: readonly PostgresQueue[]) => {
    for (const node of nodes) {
      node.note(HOOK, 'fast');
      await node.tend();
    }
  };

  /** Spread over all of them, and the home has waited until the others know. */
  async function spread(nodes: readonly PostgresQueue[]): Promise<void> {
    await tend(nodes);
    await tend(nodes);
    passed += 3_000;
    await tend(nodes);
  }

  const documents = namesOf('document');
  const three = async () => [await join('first'), await join('second'), await join('third')] as const;

  test('each document goes to the process that is told of it', async () => {
    const nodes = await three();
    await spread(nodes);
    const staged = await stage(...documents);
    const counts: number[] = [];
    for (const [index, node] of nodes.entries()) {
      const taken = await take(node);
      const told = staged.filter((each) => node.sendersOf([each]).here.length > 0);
      assert.deepEqual(taken.map(({ name }) => name).sort(), told.map(({ name }) => name).sort());
      const others = nodes.filter((_, other) => other !== index);
      for (const each of told)
        for (const other of others)
          assert.deepEqual(other.sendersOf([each]), {
            here: [],
            elsewhere: [['first', 'second', 'third'][index]],
          });
      counts.push(taken.length);
    }
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      documents.length,
    );
    assert.ok(
      counts.every((count) => count >= 5),
      String(counts),
    );
  });

  test('one process sends all while the receiver is unknown, and when it is slow again', async () => {
    const nodes = await three();
    for (const node of nodes) await node.tend();
    const takers = async (undivided = false) => {
      await queues.run(sql`delete from "_webhook_delivery"`);
      await stage(...documents);
      const counts: number[] = [];
      for (const node of nodes) counts.push((await take(node, undivided)).length);
      return counts.sort((left, right) => left - right);
    };
    assert.deepEqual(await takers(), [0, 0, 30]);
    await spread(nodes);
    assert.notDeepEqual(await takers(), [0, 0, 30]);
    // A webhook with a rate limit.
    assert.deepEqual(await takers(true), [0, 0, 30]);
    for (const node of nodes) node.note(HOOK, 'slow');
    for (const node of nodes) await node.tend();
    for (const node of nodes) await node.tend();
    assert.deepEqual(await takers(), [0, 0, 30]);
  });

  test('an older process beside ends the spreading, and everybody is told of due deliveries', async () => {
    const nodes = [await join('first'), await join('second')];
    await spread(nodes);
    assert.ok(nodes.every((node) => node.isHere(HOOK)));
    const name = namesOf('older', 500).find((node) => homeAmong('first', 'second', node) === node);
    assert.ok(name);
    const older = () =>
      queues.run(sql`insert into "_webhook_node" ("node", "seen_at") values (${name}, ${NOW})
        on conflict ("node") do update set "seen_at" = excluded."seen_at"`);
    await until(async () => {
      await older();
      await tend(nodes);
      return nodes.every((node) => !node.isHere(HOOK));
    });
    const [due] = await stage('one');
    assert.ok(due);
    for (const node of nodes) assert.deepEqual(node.sendersOf([due]), { here: [], elsewhere: null });
    await queues.run(sql`delete from "_webhook_node" where "node" = ${name}`);
    await spread(nodes);
    assert.ok(nodes.every((node) => node.isHere(HOOK)));
  });

  test('stays in order per document while processes join, leave and are killed', async () => {
    type Step = {
      readonly do: 'stage' | 'take' | 'settle' | 'retry' | 'join' | 'leave' | 'kill' | 'tend';
      at: number;
    };
    const steps = (
      ['stage', 'stage', 'take', 'take', 'settle', 'retry', 'tend', 'join', 'leave', 'kill'] as const
    ).map((what): fc.Arbitrary<Step> => fc.record({ do: fc.constant(what), at: fc.nat(1_000) }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 20, maxLength: 50 }), async (history) => {
        for (const table of [sql`"_webhook_delivery"`, sql`"_webhook_node"`])
          await queues.run(sql`delete from ${table}`);
        const live: { readonly queue: PostgresQueue; readonly name: string; held: Delivery[] }[] = [];
        const ghosts: { readonly queue: PostgresQueue; readonly held: readonly Delivery[] }[] = [];
        const ended = new Map<string, number[]>();
        let [joined, staged] = [0, 0];

        const begin = async () => {
          joined += 1;
          const name = `node-${joined}`;
          live.push({ queue: await join(name), name, held: [] });
        };
        const record = async (queue: PostgresQueue, delivery: Delivery, state: 'delivered' | 'retry') => {
          await queue.settle([settled(delivery, state)]);
          if (state === 'retry') return;
          ended.set(delivery.orderKey, [...(ended.get(delivery.orderKey) ?? []), delivery.id]);
        };
        const run = async (step: Step): Promise<void> => {
          const node = live[step.at % live.length];
          assert.ok(node);
          if (step.do === 'stage') {
            await stage(`document-${step.at % 7}`);
            staged += 1;
          } else if (step.do === 'take') {
            node.held.push(...(await node.queue.take([{ webhook: HOOK, limit: 1 + (step.at % 5) }])));
            const keys = live.flatMap(({ held }) => held.map(({ orderKey }) => orderKey));
            assert.equal(new Set(keys).size, keys.length, 'two deliveries of one document at a time');
            // What killed processes report after all counts for nothing.
            for (const { queue, held } of ghosts)
              for (const delivery of held) await queue.settle([settled(delivery, 'delivered')]);
          } else if (step.do === 'settle' || step.do === 'retry') {
            const [delivery] = node.held.splice(step.at % (node.held.length || 1), 1);
            if (delivery) await record(node.queue, delivery, step.do === 'settle' ? 'delivered' : 'retry');
          } else if (step.do === 'tend') await tend(live.map(({ queue }) => queue));
          else if (step.do === 'join' && live.length < 5) await begin();
          else if (live.length > 1) {
            live.splice(step.at % live.length, 1);
            if (step.do === 'leave') await node.queue.leave();
            else {
              await queues.run(sql`update "_webhook_node" set "seen_at" = 0 where "node" = ${node.name}`);
              await live[0]?.queue.tend();
              ghosts.push(node);
            }
          }
        };

        for (let count = 0; count < 3; count += 1) await begin();
        await spread(live.map(({ queue }) => queue));
        for (const step of history) await run(step);
        const patience = performance.now() + PATIENCE;
        const count = () => [...ended.values()].reduce((sum, ids) => sum + ids.length, 0);
        while (count() < staged && performance.now() < patience) {
          await tend(live.map(({ queue }) => queue));
          for (const node of live) {
            node.held.push(...(await node.queue.take([{ webhook: HOOK, limit: 100 }])));
            for (const delivery of node.held.splice(0)) await record(node.queue, delivery, 'delivered');
          }
        }
        assert.equal(count(), staged, 'some were never handed out');
        for (const [key, ids] of ended) {
          assert.deepEqual(
            ids,
            ids.toSorted((left, right) => left - right),
            key,
          );
        }
      }),
      { numRuns: 12 },
    );
  });

  test('after a time without the database, nobody takes the leases of those who have lived through it', async () => {
    const nodes = await three();
    await spread(nodes);
    await stage(...documents);
    const [ofFirst = [], ofSecond = [], ofThird = []] = await Promise.all(nodes.map((node) => take(node)));
    const leased = async () =>
      (
        await queues.site.database.reader.all(
          sql`select 1 as "one" from "_webhook_delivery" where "state" = 1`,
        )
      ).length;
    const pass = async (millis: number) => {
      passed += millis;
      await queues.run(sql`update "_webhook_node" set "seen_at" = "seen_at" - cast(${millis} as bigint)`);
    };
    const [first, second] = nodes;
    // The first two write again, one after the other. The third died meanwhile.
    await pass(3_600_000);
    for (const node of [first, first, second]) {
      await node.tend();
      assert.equal(await leased(), documents.length);
    }
    await first.settle(ofFirst.map((delivery) => settled(delivery, 'delivered')));
    await second.settle(ofSecond.map((delivery) => settled(delivery, 'delivered')));
    assert.equal(await leased(), ofThird.length);
    for (let count = 0; count < 4; count += 1) {
      await pass(4_000);
      await first.tend();
      await second.tend();
    }
    const again = (await Promise.all([first, second].map((node) => take(node)))).flat();
    const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id).sort();
    assert.ok(ofThird.length > 0);
    assert.deepEqual(idsOf(again), idsOf(ofThird));
  });

  test('a process that was frozen while it took deliveries drops what others have taken over', async () => {
    const nodes = [await join('first'), await join('second')] as const;
    await tend(nodes);
    await stage(...documents);
    const [home, other] = homeAmong('first', 'second') === 'first' ? nodes : [nodes[1], nodes[0]];
    const { database } = queues.site;
    const { transaction } = database;
    const others: Delivery[] = [];
    const taking = mock.method(database, 'transaction', async (...work: Parameters<typeof transaction>) => {
      const rows = await Reflect.apply(transaction, database, work);
      taking.mock.restore();
      await queues.run(sql`update "_webhook_node" set "seen_at" = "seen_at" - 12000`);
      await other.tend();
      others.push(...(await take(other)));
      passed += 12_000;
      return rows;
    });
    assert.deepEqual(await take(home), []);
    await home.tend();
    assert.equal(others.length, documents.length);
    await other.settle(others.map((delivery) => settled(delivery, 'delivered')));
    const open = sql`select 1 as "one" from "_webhook_delivery" where "state" <> 2`;
    assert.deepEqual(await database.reader.all(open), []);
  });

  test('a process that was frozen while it read the webhook does not begin the attempt', async () => {
    const queue = await join('first');
    await stage('one');
    const { site } = queues;
    const began: string[] = [];
    const breaker = { firstWait: 1_000, longestWait: 20_000 };
    const flow = new FairFlow({ now: () => performance.now(), inFlight: 8, perOrigin: 8, breaker });
    const dispatcher = new Dispatcher(site, queue, flow, {
      mayBegin: () => true,
      attempt: async ({ name }) => {
        began.push(name);
        return settled({} as Delivery, 'delivered').outcome;
      },
      ended: () => {},
      poisoned: () => {},
      failed: (_where, error) => assert.fail(String(error)),
    });
    const { load } = Targets.prototype;
    let reads = 0;
    mock.method(Targets.prototype, 'known', () => undefined);
    mock.method(Targets.prototype, 'load', async function (this: Targets, webhooks: readonly string[]) {
      const targets = await Reflect.apply(load, this, [webhooks]);
      reads += 1;
      if (reads === 2) passed += 12_000;
      return targets;
    });
    dispatcher.offer([HOOK]);
    const waiting = sql`select 1 as "one" from "_webhook_delivery" where "state" = 0 and "epoch" = 1`;
    await until(async () => (await site.database.reader.all(waiting)).length + began.length > 0);
    await dispatcher.stop();
    assert.deepEqual(began, []);
  });
});
