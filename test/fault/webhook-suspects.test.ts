/**
 * What is sent with care after processes died: the one they died of is told from those that were beside it,
 * and given up.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import { stageDeliveries } from '../../src/webhook/queue/outbox.ts';
import { type DeliveryQueue, POISON, type Settlement } from '../../src/webhook/queue/queue.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import { engineOf } from '../support/describe-site.ts';
import { useQueueSite } from '../support/queue-site.ts';

const HOOKS = Array.from({ length: 12 }, (_, index) => `hook-${index}`);
const QUOTAS = HOOKS.map((webhook) => ({ webhook, limit: 100 }));

function settled(delivery: Delivery, state: Settlement['state'] = 'delivered'): Settlement {
  const at = '2026-11-21 10:00:00.000000';
  const outcome = { error: null, status: 200, response: '', remoteIp: null, retryAfter: null, millis: 1 };
  return { delivery, state, delay: 0, nextRetry: null, startedAt: at, endedAt: at, outcome };
}

for (const engine of engineOf('suspicion')) {
  describe(`deliveries under suspicion on ${engine}`, () => {
    let starts = 0;
    const queues = useQueueSite(engine, HOOKS);
    const { run } = queues;

    /** A process begins, the ones before it having died. Nothing has to wait for its time. */
    async function begin({ calm = true } = {}): Promise<DeliveryQueue> {
      starts += 1;
      const queue = openQueue(queues.site, `node-${starts}`);
      // By this PostgreSQL takes the others for dead.
      await run(sql`update "_webhook_node" set "seen_at" = "seen_at" - 11000`);
      await queue.join();
      if (calm) await run(sql`update "_webhook_delivery" set "due_at" = 0`);
      return queue;
    }

    /** Three processes had all that waits when they died: from now on care is taken. */
    async function dieThrice(): Promise<void> {
      for (let death = 0; death < 3; death += 1) await (await begin()).take(QUOTAS);
    }

    async function stage(webhooks: readonly string[], docName = 'one'): Promise<void> {
      await unitOfWork(queues.site, ADMINISTRATOR, (ctx) =>
        stageDeliveries(
          ctx,
          webhooks.map((webhook) => ({
            webhook,
            event: 'on_update',
            doctypeName: 'User',
            docName,
            method: 'POST',
            url: 'http://127.0.0.1/',
            headers: '{}',
            body: '{}',
            failure: null,
          })),
        ),
      );
    }

    async function suspicions(): Promise<number[]> {
      const rows = await queues.site.database.reader.all(
        sql`select "suspect" from "_webhook_delivery" order by "id"`,
      );
      return rows.map(({ suspect }) => Number(suspect));
    }

    test('a clean stop leaves no suspects', async () => {
      await stage(['hook-0']);
      for (let start = 0; start < POISON + 1; start += 1) {
        const queue = await begin();
        const taken = await queue.take(QUOTAS);
        assert.equal(taken.length, 1);
        assert.equal((await queue.mark(taken)).length, 1);
        await queue.leave();
      }
      assert.deepEqual(await suspicions(), [0]);
    });

    test('one or two deaths make no suspects', async () => {
      await stage(HOOKS);
      for (let start = 0; start < 3; start += 1) {
        const queue = await begin();
        const taken = await queue.take(QUOTAS);
        assert.equal(taken.length, HOOKS.length);
        assert.ok(taken.every((delivery) => !queue.isCautious(delivery)));
      }
    });

    test('an innocent delivery in flight at the deaths is not given up', async () => {
      await stage(HOOKS);
      for (let start = 0; start < 3 + POISON; start += 1) {
        const queue = await begin();
        const taken = await queue.take(QUOTAS);
        const wary = taken.filter((delivery) => queue.isCautious(delivery));
        assert.equal(wary.length, start < 3 ? 0 : HOOKS.length);
        await queue.mark(wary.toSorted((left, right) => left.suspect - right.suspect));
      }
      const worst = Math.max(...(await suspicions()));
      assert.ok(worst >= 2 && worst < POISON - 1, `${worst}`);
    });

    test('the crashing delivery is isolated, and the rest is sent', async () => {
      await stage(HOOKS);
      await dieThrice();
      let deaths = 0;
      for (; deaths < 20; deaths += 1) {
        const queue = await begin();
        const taken = await queue.take(QUOTAS);
        const poison = taken.find(({ webhook }) => webhook === 'hook-3');
        assert.ok(poison);
        if (poison.suspect >= POISON) break;
        // Each as it is let, until it is the turn of the one that no process survives.
        for (let waiting = taken; waiting.length > 0; ) {
          const begun: Delivery[] = [];
          for (const delivery of waiting) {
            if ((await queue.mark([delivery])).length > 0) begun.push(delivery);
          }
          if (begun.includes(poison)) break;
          await queue.settle(begun.map((delivery) => settled(delivery)));
          waiting = waiting.filter((delivery) => !begun.includes(delivery));
        }
        await stage(['hook-0'], `later-${deaths}`);
      }
      assert.equal(deaths, POISON);
      const queue = await begin();
      const [poison, ...others] = (await queue.take(QUOTAS)).filter(({ suspect }) => suspect !== 0);
      assert.equal(poison?.webhook, 'hook-3');
      // Beside it at two deaths, and at no third: by then each of them went alone.
      assert.ok(others.every(({ suspect }) => suspect <= 2));
    });

    test('a survived attempt clears the suspicion', async () => {
      await stage(['hook-0']);
      await dieThrice();
      const first = await begin();
      await first.mark(await first.take(QUOTAS));
      assert.deepEqual(await suspicions(), [1]);
      const second = await begin();
      const again = await second.take(QUOTAS);
      await second.mark(again);
      assert.deepEqual(await suspicions(), [2]);
      await second.settle(again.map((delivery) => settled(delivery, 'retry')));
      assert.deepEqual(await suspicions(), [0]);
    });

    test('suspects of two deaths go one after another, before the other cautious ones', async () => {
      await stage(HOOKS.slice(0, 4));
      await dieThrice();
      // At one death they may have been by chance: after it they go together once more.
      for (let deaths = 1; deaths <= 2; deaths += 1) {
        const queue = await begin();
        assert.equal((await queue.mark(await queue.take(QUOTAS))).length, 4);
      }
      await stage(HOOKS.slice(4, 6));
      const second = await begin();
      const [one, two, ...rest] = (await second.take(QUOTAS)).toSorted((left, right) => left.id - right.id);
      assert.ok(one && two);
      const fresh = rest.filter(({ suspect }) => suspect <= 0);
      assert.equal(fresh.length, 2);
      assert.equal(second.admits(one), true);
      assert.equal(second.admits(two), false);
      // On PostgreSQL no process had these when it died.
      const wary = fresh.filter((delivery) => second.isCautious(delivery));
      assert.equal(wary.length, engine === 'sqlite' ? 2 : 0);
      assert.ok(wary.every((delivery) => !second.admits(delivery)));
      await second.settle([settled(one)]);
      assert.ok(wary.every((delivery) => !second.admits(delivery)));
      assert.equal(second.admits(two), true);
    });

    test("a suspect of three deaths waits some seconds of a process's life", async () => {
      await stage(['hook-0']);
      await dieThrice();
      for (let deaths = 0; deaths < 3; deaths += 1) {
        const queue = await begin();
        await queue.mark(await queue.take(QUOTAS));
      }
      for (const seconds of [10, 30]) {
        const early = await begin({ calm: false });
        assert.deepEqual(await early.take(QUOTAS), []);
        const [{ dueIn = 0 } = {}] = await early.waiting();
        assert.ok(dueIn > (seconds - 10) * 1_000 && dueIn <= seconds * 1_000, `${dueIn}`);
        // The process died before that, of something else.
        assert.ok((await suspicions())[0] === (seconds === 10 ? 3 : 4));
        const late = await begin();
        assert.equal((await late.mark(await late.take(QUOTAS))).length, 1);
      }
      const last = await begin({ calm: false });
      const [poison] = await last.take(QUOTAS);
      assert.equal(poison?.suspect, POISON);
    });
  });
}
