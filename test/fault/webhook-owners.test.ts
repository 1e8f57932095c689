/** Whose a delivery is when processes die or freeze. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import pg, { type QueryConfig } from 'pg';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { OutcomeUnknown } from '../../src/db/driver-errors.ts';
import { Outcomes } from '../../src/db/postgres/outcomes.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { releaseHeld } from '../../src/webhook/queue/held-deliveries.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import { type DeliveryDraft, stageDeliveries } from '../../src/webhook/queue/outbox.ts';
import { type DeliveryQueue, NotOwner, type Settlement } from '../../src/webhook/queue/queue.ts';
import { onDeliveries } from '../../src/webhook/queue/wake.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import { engineOf } from '../support/describe-site.ts';
import { useQueueSite } from '../support/queue-site.ts';
import { until } from '../support/until.ts';

const HOOKS = Array.from({ length: 12 }, (_, index) => `hook-${index}`);
const QUOTAS = HOOKS.map((webhook) => ({ webhook, limit: 100 }));

function delivered(delivery: Delivery): Settlement {
  const at = '2026-11-21 10:00:00.000000';
  const outcome = { error: null, status: 200, response: '', remoteIp: null, retryAfter: null, millis: 1 };
  return { delivery, state: 'delivered', delay: 0, nextRetry: null, startedAt: at, endedAt: at, outcome };
}

function draftOf(webhook: string, docName: string): DeliveryDraft {
  const frozen = { method: 'POST', url: 'http://127.0.0.1/', headers: '{}', body: '{}', failure: null };
  return { webhook, event: 'on_update', doctypeName: 'User', docName, ...frozen };
}

for (const engine of engineOf('owners')) {
  describe(`owners of deliveries on ${engine}`, () => {
    const queues = useQueueSite(engine, HOOKS);
    const { run } = queues;

    async function join(node: string): Promise<DeliveryQueue> {
      const queue = openQueue(queues.site, node);
      await queue.join();
      return queue;
    }

    async function stage(webhooks: readonly string[], docName = 'one'): Promise<void> {
      await unitOfWork(queues.site, ADMINISTRATOR, (ctx) =>
        stageDeliveries(
          ctx,
          webhooks.map((webhook) => draftOf(webhook, docName)),
        ),
      );
    }

    const row = () =>
      queues.site.database.reader.get(
        sql`select "state", "suspect", "attempt" from "_webhook_delivery" limit 1`,
      );

    test('another process sends the deliveries of a dead one, whose late reports are ignored', async () => {
      await stage(['hook-0']);
      const first = await join('first');
      const [had] = await first.take(QUOTAS);
      assert.ok(had);
      // Its last sign of life was long ago.
      await run(sql`update "_webhook_node" set "seen_at" = 0`);
      const second = await join('second');
      const [again] = await second.take(QUOTAS);
      assert.equal(again?.id, had.id);
      await first.settle([delivered(had)]).catch((error: unknown) => assert.ok(error instanceof NotOwner));
      assert.equal((await row())?.['attempt'], 0);
      await second.settle([delivered(again)]);
      assert.deepEqual({ ...(await row()) }, { state: 2, suspect: 0, attempt: 1 });
    });

    test('a process takes no delivery that another has leased', { skip: engine === 'sqlite' }, async () => {
      await stage(HOOKS);
      const first = await join('first');
      const had = await first.take(QUOTAS);
      assert.equal(had.length, HOOKS.length);
      const second = await join('second');
      assert.deepEqual(await second.take(QUOTAS), []);
      await second.tend();
      assert.deepEqual(await second.take(QUOTAS), []);
    });

    test('a process that retires keeps its leases only', { skip: engine === 'sqlite' }, async () => {
      await stage(['hook-0']);
      const first = await join('first');
      const [had] = await first.take(QUOTAS);
      assert.ok(had);
      await first.retire();
      const second = await join('second');
      assert.equal(second.processes, 1);
      await stage(HOOKS.slice(1));
      // What the first one has in flight is its own until it leaves.
      assert.equal((await second.take(QUOTAS)).length, HOOKS.length - 1);
      await first.settle([delivered(had)]);
      const sent = await queues.site.database.reader.all(
        sql`select "webhook" from "_webhook_delivery" where "state" = 2`,
      );
      assert.deepEqual(sent, [{ webhook: 'hook-0' }]);
    });

    describe('a lease that its process does not know of', { skip: engine === 'sqlite' }, () => {
      afterEach(() => mock.restoreAll());
      const unknown = { type: 'OutcomeUnknownError' };

      /** From the statement on, the database is committed to without a reply, and answers nothing for a moment. */
      function loseCommitOf(statement: string): void {
        const { query } = pg.Client.prototype;
        let client: pg.Client | null = null;
        mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | QueryConfig) {
          const text = typeof config === 'string' ? config : config.text;
          if (!client && text.includes(statement)) client = this;
          const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
          if (client !== this || text !== 'commit') return answer;
          return answer.then(() => Promise.reject(new Error('Connection terminated unexpectedly')));
        });
        mock.method(Outcomes.prototype, 'wasMade', () => Promise.reject(new OutcomeUnknown(null)));
      }

      test('is returned at the next heartbeat, with nothing that is held', async () => {
        const queue = await join('first');
        await stage(['hook-0']);
        const [held] = await queue.take(QUOTAS);
        assert.equal(held?.webhook, 'hook-0');
        await stage(['hook-1']);
        loseCommitOf('limit q."limit"');
        await assert.rejects(queue.take(QUOTAS), unknown);
        mock.restoreAll();
        assert.deepEqual(await queue.take(QUOTAS), []);
        await queue.tend();
        assert.deepEqual(
          (await queue.take(QUOTAS)).map(({ webhook }) => webhook),
          ['hook-1'],
        );
      });

      test('is returned when it could not be released', async () => {
        const queue = await join('first');
        await stage(['hook-0']);
        const taken = await queue.take(QUOTAS);
        mock.method(queues.site.database, 'transaction', () => Promise.reject(new OutcomeUnknown(null)));
        await assert.rejects(queue.release(taken), unknown);
        mock.restoreAll();
        await queue.tend();
        assert.equal((await queue.take(QUOTAS)).length, 1);
      });

      test('stays while it is being taken', async () => {
        const queue = await join('first');
        await stage(['hook-0']);
        // The heartbeat sees the lease before the process that waits for the reply.
        const { query } = pg.Client.prototype;
        const replied = Promise.withResolvers<void>();
        let client: pg.Client | null = null;
        const leased = Promise.withResolvers<void>();
        mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | QueryConfig) {
          const text = typeof config === 'string' ? config : config.text;
          const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
          if (text.includes('limit q."limit"')) client = this;
          if (text.includes('json_array_elements_text(cast')) void answer.then(() => replied.resolve());
          if (client !== this || text !== 'commit') return answer;
          client = null;
          return answer.then(async (reply) => {
            leased.resolve();
            await replied.promise;
            return reply;
          });
        });
        const taking = queue.take(QUOTAS);
        await leased.promise;
        await queue.tend();
        const [taken] = await taking;
        assert.ok(taken);
        await queue.settle([delivered(taken)]);
        assert.deepEqual({ ...(await row()) }, { state: 2, suspect: 0, attempt: 1 });
      });
    });

    test('each webhook is assigned to one live process', {
      skip: engine === 'sqlite',
    }, async () => {
      const nodes = [await join('first'), await join('second'), await join('third')];
      for (const node of nodes) await node.tend();
      await stage(HOOKS);
      const lists = await Promise.all(nodes.map((node) => node.waiting()));
      const homes = lists.flatMap((list) => list.map(({ webhook }) => webhook));
      assert.deepEqual(homes.sort(), HOOKS.toSorted());
      assert.ok(
        lists.every((list) => list.length > 0),
        'one has them all',
      );
      await nodes[0]?.leave();
      for (const node of nodes.slice(1)) await node.tend();
      const left = await Promise.all(nodes.slice(1).map((node) => node.take(QUOTAS)));
      assert.equal(left.flat().length, HOOKS.length);
    });

    test('a delivery stored while its predecessor is recorded goes at once', {
      skip: engine === 'sqlite',
    }, async () => {
      await stage(['hook-0']);
      const queue = await join('first');
      const [head] = await queue.take(QUOTAS);
      assert.ok(head);
      const announced = Promise.withResolvers<void>();
      const stop = onDeliveries(queues.site.database, {
        node: 'listener',
        committed: ({ due }) => {
          if (due.some(({ webhook }) => webhook === 'hook-0')) announced.resolve();
          return [];
        },
        elsewhere: () => {},
      });
      await unitOfWork(queues.site, ADMINISTRATOR, async (ctx) => {
        await stageDeliveries(ctx, [draftOf('hook-0', 'one')]);
        // The delivery is stored when a later statement is answered.
        await ctx.db.get(sql`select 1 as "one"`);
        // Not committed yet, so whoever records the one before cannot see it.
        await queue.settle([delivered(head)]);
      });
      await announced.promise;
      stop();
      assert.equal((await queue.take(QUOTAS)).length, 1);
    });

    describe('the deliveries for a recovered receiver', () => {
      const takeFirst = (queue: DeliveryQueue, limit: number) =>
        queue.take([{ webhook: 'hook-0', limit, firstAttempts: true }]);
      let queue: DeliveryQueue;
      beforeEach(async () => {
        queue = await join('first');
        for (let index = 0; index < 6; index += 1) await stage(['hook-0'], `old-${index}`);
        const tried = await queue.take(QUOTAS);
        await queue.settle(tried.map((delivery) => ({ ...delivered(delivery), state: 'retry' })));
        for (let index = 0; index < 4; index += 1) await stage(['hook-0'], `new-${index}`);
        await run(sql`update "_webhook_delivery" set "due_at" = "id"`);
      });
      const triedBefore = (taken: readonly Delivery[]) => taken.map(({ attempts }) => attempts > 0);

      test('go oldest first', async () => {
        assert.deepEqual(triedBefore(await queue.take([{ webhook: 'hook-0', limit: 4 }])), [
          true,
          true,
          true,
          true,
        ]);
      });

      test('are first attempts by half, if there are enough', async () => {
        const count = async (limit: number) => {
          const taken = triedBefore(await takeFirst(queue, limit));
          return [taken.length, taken.filter((each) => !each).length];
        };
        assert.deepEqual(await count(1), [1, 1]);
        assert.deepEqual(await count(4), [4, 2]);
        assert.deepEqual(await count(8), [5, 1]);
        assert.deepEqual(await count(8), [0, 0]);
      });
    });

    describe('a delivery in flight while its webhook is disabled', () => {
      const again = (delivery: Delivery): Settlement => ({ ...delivered(delivery), state: 'retry' });
      const enable = (enabled: 0 | 1) =>
        sql`update "Webhook" set "enabled" = ${enabled} where "name" = 'hook-0'`;
      const states = async () =>
        (
          await queues.site.database.reader.all(sql`select "state" from "_webhook_delivery" order by "id"`)
        ).map((each) => each['state']);
      let queue: DeliveryQueue;
      let taken: Delivery;
      beforeEach(async () => {
        await stage(['hook-0']);
        await stage(['hook-0']);
        queue = await join('first');
        const [head] = await queue.take(QUOTAS);
        assert.ok(head);
        taken = head;
      });
      afterEach(() => run(enable(1)));

      test('is held when it must be retried', async () => {
        await run(enable(0));
        await queue.settle([again(taken)]);
        assert.deepEqual(await states(), [5, 6]);
      });

      test('once delivered, leaves the next one about the document held', async () => {
        await run(enable(0));
        await queue.settle([delivered(taken)]);
        await tendUntilSwept();
        assert.deepEqual(await states(), [2, 5]);
      });

      test('is held when it is released', { skip: engine === 'sqlite' }, async () => {
        await run(enable(0));
        await queue.release([taken]);
        assert.deepEqual(await states(), [5, 6]);
      });

      test('is held even before the disabling is committed', { skip: engine === 'sqlite' }, async () => {
        await queues.site.database.transaction(async (connection) => {
          await connection.run(enable(0));
          await queue.settle([again(taken)]);
        });
        await tendUntilSwept();
        assert.deepEqual(await states(), [5, 6]);
      });

      test('is not held for ever when the webhook is being enabled', {
        skip: engine === 'sqlite',
      }, async () => {
        await run(enable(0));
        await unitOfWork(queues.site, ADMINISTRATOR, async (ctx) => {
          await ctx.db.run(enable(1));
          await queue.settle([again(taken)]);
          await queue.tend();
          await releaseHeld(ctx, 'hook-0', 'Send');
        });
        assert.deepEqual(await states(), [0, 6]);
      });

      // The search for what is left over keeps to a share of the time.
      async function tendUntilSwept(): Promise<void> {
        await until(
          async () => {
            await queue.tend();
            return states();
          },
          (all) => !all.includes(0),
        );
      }
    });
  });
}
