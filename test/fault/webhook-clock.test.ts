/** When the clock is set back, what waits for a time waits no longer for it, whether a process ran meanwhile or not. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { ident, sql } from '../../src/db/sql.ts';
import type { Site } from '../../src/document/contract.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { nowMillis } from '../../src/kernel/clock.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import { stageDeliveries } from '../../src/webhook/queue/outbox.ts';
import type { DeliveryQueue, Settlement } from '../../src/webhook/queue/queue.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import { EndpointHealth } from '../../src/webhook/worker/endpoint-health.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const HOOK = 'hook';
const QUOTAS = [{ webhook: HOOK, limit: 100 }];
const HOUR = 3_600_000;
/** Much longer than a test takes. */
const DELAY = 600_000;
/**
 * On PostgreSQL the last sign of life says by how much: what nodes do not hear of each other for so long is
 * not made up for.
 */
const SILENT = 5_000;
const LATE = { sqlite: 0, postgres: HOUR / 2 };

function settlement(delivery: Delivery, state: 'delivered' | 'retry'): Settlement {
  const at = '2026-11-21 10:00:00.000000';
  const outcome = { error: null, status: 200, response: '', remoteIp: null, retryAfter: null, millis: 1 };
  const delay = state === 'retry' ? DELAY : 0;
  return { delivery, state, delay, nextRetry: null, startedAt: at, endedAt: at, outcome };
}

for (const engine of engineOf('clock')) {
  describe(`the clock set back on ${engine}`, () => {
    let server: TestSite;
    let site: Site;
    let ahead = 0;
    before(async () => {
      server = await startTestSite(engine);
      const { clock } = server.site;
      site = { ...server.site, clock: { micros: () => clock.micros() + ahead * 1_000 } };
      await run(
        sql`insert into "Webhook" ("name", "webhook_doctype", "enabled") values (${HOOK}, 'User', 1)`,
      );
    });
    after(() => server.stop());
    beforeEach(async () => {
      for (const table of ['_webhook_delivery', '_webhook_body', '_webhook_node', '_webhook_start'])
        await run(sql`delete from ${ident(table)}`);
      ahead = HOUR;
    });

    const run = (statement: ReturnType<typeof sql>) =>
      server.site.database.transaction((connection) => connection.run(statement));

    // On PostgreSQL the database's clock counts, which is nobody's to set: what was written down is an hour
    // ahead instead.
    async function setBack(): Promise<void> {
      ahead = 0;
      if (engine === 'sqlite') return;
      await run(sql`update "_webhook_node" set "seen_at" = "seen_at" + ${HOUR - SILENT}`);
      await run(sql`update "_webhook_delivery" set "due_at" = "due_at" + ${HOUR}`);
    }

    async function join(node: string): Promise<DeliveryQueue> {
      const queue = openQueue(site, node);
      await queue.join();
      return queue;
    }

    /** The process died; another begins, and knows it. */
    async function restart(): Promise<DeliveryQueue> {
      const queue = await join('two');
      await run(sql`delete from "_webhook_node" where "node" = 'one'`);
      await queue.tend();
      return queue;
    }

    /** Two changes of one document: the second waits for the first. */
    async function stageTwo(): Promise<void> {
      const draft = {
        webhook: HOOK,
        event: 'on_update',
        doctypeName: 'User',
        docName: 'one',
        method: 'POST',
        url: 'http://127.0.0.1/',
        headers: '{}',
        body: '{}',
        failure: null,
      };
      for (let change = 0; change < 2; change += 1)
        await unitOfWork(site, ADMINISTRATOR, (ctx) => stageDeliveries(ctx, [draft]));
    }

    async function takeOne(queue: DeliveryQueue): Promise<Delivery> {
      const [delivery, ...others] = await queue.take(QUOTAS);
      assert.ok(delivery, 'nothing is due');
      assert.deepEqual(others, []);
      return delivery;
    }

    async function dueIn(queue: DeliveryQueue): Promise<number> {
      const [first] = await queue.waiting();
      assert.ok(first);
      return first.dueIn;
    }

    test('a parked delivery goes after its predecessor', async () => {
      const queue = await join('one');
      await stageTwo();
      const head = await takeOne(queue);
      await setBack();
      await queue.tend();
      await queue.settle([settlement(head, 'delivered')]);
      assert.ok((await dueIn(queue)) <= LATE[engine], `${await dueIn(queue)}`);
    });

    test('a retry keeps its delay', async () => {
      const queue = await join('one');
      await stageTwo();
      await queue.settle([settlement(await takeOne(queue), 'retry')]);
      await setBack();
      await queue.tend();
      assert.ok((await dueIn(queue)) <= DELAY + LATE[engine], `${await dueIn(queue)}`);
    });

    test('earlier deliveries go after a restart', async () => {
      await join('one');
      await stageTwo();
      await setBack();
      const due = await dueIn(await restart());
      assert.ok(due <= LATE[engine], `${due}`);
    });

    test('a retry goes on time after a restart', async () => {
      ahead = 0;
      await stageTwo();
      const queue = await join('one');
      ahead = HOUR;
      await queue.settle([settlement(await takeOne(queue), 'retry')]);
      await setBack();
      const due = await dueIn(await restart());
      assert.ok(due <= DELAY + LATE[engine] && due > 0, `${due}`);
    });

    test('the pause of a receiver is not an hour longer after a restart', async () => {
      const now = nowMillis(site.clock);
      await run(
        sql`insert into "_webhook_endpoint" ("webhook", "consecutive_failures", "paused_until", "modified_at")
            values (${HOOK}, 1, ${now + DELAY}, ${now})`,
      );
      ahead = 0;
      const [learned] = await new EndpointHealth(site).learn();
      assert.equal(learned?.pausedFor, DELAY);
    });
  });
}
