/** The delivery queue against a model: random histories of staging, leasing, settling, disabling and dying workers. */
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import { stageDeliveries } from '../../src/webhook/queue/outbox.ts';
import { OUTBOX } from '../../src/webhook/queue/outbox-statements.ts';
import { POSTGRES } from '../../src/webhook/queue/postgres-statements.ts';
import { type DeliveryQueue, NotOwner, type Settlement } from '../../src/webhook/queue/queue.ts';
import { SQLITE } from '../../src/webhook/queue/sqlite-statements.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import { deliveryError } from '../../src/webhook/send/delivery-error.ts';
import { describeSite } from '../support/describe-site.ts';
import type { TestSite } from '../support/site.ts';
import { PATIENCE } from '../support/until.ts';

const WEBHOOKS = ['hook-a', 'hook-b'];
const DOCUMENTS = ['one', 'two', 'three'];
type Step =
  | { readonly do: 'stage'; readonly webhook: string; readonly document: string }
  | { readonly do: 'claim'; readonly limit: number }
  | { readonly do: 'settle'; readonly pick: number; readonly state: Settlement['state'] }
  | { readonly do: 'die' };

const webhook = fc.constantFrom(...WEBHOOKS);
const document = fc.constantFrom(...DOCUMENTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('stage' as const), webhook, document }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      pick: fc.nat(),
      state: fc.constantFrom(
        'delivered' as const,
        'retry' as const,
        'exhausted' as const,
        'refunded' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const) }) },
);

function settlement(delivery: Delivery, state: Settlement['state']): Settlement {
  const at = '2026-11-21 10:00:00.000000';
  return {
    delivery,
    state,
    delay: 0,
    nextRetry: state === 'retry' ? at : null,
    startedAt: at,
    endedAt: at,
    outcome: {
      error: state === 'delivered' ? null : deliveryError('http_status', 'status 500'),
      status: state === 'delivered' ? 200 : 500,
      response: 'body',
      remoteIp: '127.0.0.1',
      retryAfter: null,
      millis: 1,
    },
  };
}

describeSite('the delivery queue', {}, (site, engine) => {
  let queue: DeliveryQueue;
  let node = 0;
  before(async () => {
    await site.site.database.transaction(async (connection) => {
      for (const name of WEBHOOKS) {
        await connection.run(
          sql`insert into "Webhook" ("name", "webhook_doctype", "enabled") values (${name}, 'User', 1)`,
        );
      }
    });
  });
  beforeEach(async () => {
    await clear();
    await begin();
  });

  async function clear(): Promise<void> {
    await transaction(async (connection) => {
      for (const table of ['_webhook_delivery', '_webhook_body', '_webhook_text', '_webhook_attempt']) {
        await connection.run(sql`delete from ${ident(table)}`);
      }
    });
  }

  /** A process begins; what the one before it had is given back. */
  async function begin(): Promise<void> {
    node += 1;
    queue = openQueue(site.site, `node-${node}`);
    await transaction(async (connection) => {
      await connection.run(sql`delete from "_webhook_node"`);
      // Many die here within no time: that is not what these tests are about.
      await connection.run(sql`delete from "_webhook_start"`);
    });
    await queue.join();
    await transaction((connection) =>
      connection.run(sql`update "_webhook_delivery" set "suspect" = 0, "due_at" = 0 where "state" = 0`),
    );
  }

  const transaction: TestSite['site']['database']['transaction'] = (work) =>
    site.site.database.transaction(work);
  const claim = (limit: number) => queue.take(WEBHOOKS.map((name) => ({ webhook: name, limit })));

  async function attempts(): Promise<unknown> {
    const { reader } = site.site.database;
    return (await reader.get(sql`select count(*) as "count" from "_webhook_attempt"`))?.['count'];
  }

  async function stage(name: string, docName: string): Promise<void> {
    const draft = { webhook: name, event: 'on_update', doctypeName: 'User', docName };
    const frozen = { method: 'POST', url: 'http://127.0.0.1/', headers: '{}', body: '{}', failure: null };
    await unitOfWork(site.site, ADMINISTRATOR, (ctx) => stageDeliveries(ctx, [{ ...draft, ...frozen }]));
  }

  test('each goes once at a time, in order per document, and none is forgotten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (history) => {
        await clear();
        // Undelivered ids by webhook and document, in order: what the queue must hand out.
        const waiting = new Map<string, number>();
        let leased: Delivery[] = [];
        const ghosts: { readonly of: DeliveryQueue; readonly delivery: Delivery }[] = [];
        const settledOrder = new Map<string, number[]>();

        async function run(action: Step): Promise<void> {
          if (action.do === 'stage') {
            await stage(action.webhook, action.document);
            const key = `${action.webhook}|User\u001f${action.document}`;
            waiting.set(key, (waiting.get(key) ?? 0) + 1);
          } else if (action.do === 'claim') {
            const claimed = await claim(action.limit);
            const keys = [...leased, ...claimed].map(keyOf);
            assert.equal(new Set(keys).size, keys.length, 'two deliveries of one document at a time');
            leased.push(...claimed);
            // What dead workers report after all counts for nothing, also when another has the delivery by now.
            const before = await attempts();
            for (const { of, delivery } of ghosts) {
              await of.settle([settlement(delivery, 'delivered')]).catch(ignoreNotOwner);
            }
            assert.equal(await attempts(), before);
          } else if (action.do === 'die') {
            const of = queue;
            ghosts.push(...leased.map((delivery) => ({ of, delivery })));
            leased = [];
            await begin();
          } else if (leased.length > 0) {
            const [delivery] = leased.splice(action.pick % leased.length, 1);
            if (!delivery) return;
            await settle(delivery, action.state);
            if (action.state === 'retry' || action.state === 'refunded') return;
            const key = keyOf(delivery);
            waiting.set(key, (waiting.get(key) ?? 0) - 1);
            settledOrder.set(key, [...(settledOrder.get(key) ?? []), delivery.id]);
          }
        }
        const settle = (delivery: Delivery, state: Settlement['state']) =>
          queue.settle([settlement(delivery, state)]);

        for (const action of history) await run(action);
        // Whoever stored a follower may be about to give it its turn: then nobody else does, and nobody
        // waits for that.
        const patience = performance.now() + PATIENCE;
        const isOver = () => waiting.values().every((left) => left === 0) || performance.now() > patience;
        for (;;) {
          await run({ do: 'claim', limit: 8 });
          if (leased.length === 0 && isOver()) break;
          while (leased.length > 0) await run({ do: 'settle', pick: 0, state: 'delivered' });
        }
        for (const [key, left] of waiting)
          assert.equal(left, 0, `${key} has ${left} that were never handed out`);
        for (const [key, ids] of settledOrder) {
          assert.deepEqual(
            ids,
            ids.toSorted((left, right) => left - right),
            key,
          );
        }
        assert.deepEqual(await queue.waiting(), []);
      }),
      { numRuns: engine === 'sqlite' ? 60 : 20 },
    );
  });

  test('a delivery parked behind one that is already through is found', async () => {
    await stage('hook-a', 'stranded');
    await transaction((connection) =>
      connection.run(sql`update "_webhook_delivery" set "state" = 6 where "state" = 0`),
    );
    assert.deepEqual(await claim(8), []);
    await begin();
    assert.equal((await claim(8)).length, 1);
  });

  test('a disabled webhook hands out nothing', async () => {
    await stage('hook-b', 'disabled');
    await transaction((connection) => connection.run(sql`update "Webhook" set "enabled" = 0`));
    assert.deepEqual(await claim(8), []);
    await transaction((connection) => connection.run(sql`update "Webhook" set "enabled" = 1`));
    assert.equal((await claim(8)).length, 1);
  });

  test('nobody has a delivery that somebody has', async () => {
    for (let index = 0; index < 40; index++) await stage('hook-a', `shared-${index}`);
    const shares = await Promise.all(Array.from({ length: 8 }, () => claim(8)));
    const ids = shares.flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const rest = await claim(100);
    assert.equal(new Set([...ids, ...rest.map(({ id }) => id)]).size, 40);
  });

  test('live and logged deliveries are found by index', async () => {
    const { reader } = site.site.database;
    const log = sql`select "name" from "Webhook Request Log" where "webhook" = ${'hook-a'}
        order by "creation" desc, "name" desc limit ${20}`;
    const one = sql`select * from "Webhook Request Log" where "name" = ${'dlv_x'}`;
    const attempts = sql`select * from "Webhook Request Log Attempt" where "parent" = ${'dlv_x'}
        and "parenttype" = 'Webhook Request Log' and "parentfield" = 'attempts' order by "idx"`;
    if (engine === 'sqlite') {
      for (const query of [log, one, attempts]) {
        const plan = await reader.all(sql`explain query plan ${query}`);
        const text = plan.map((row) => row['detail']).join('\n');
        assert.doesNotMatch(text, /SCAN d\b|SCAN a\b|SCAN _webhook/, text);
      }
      // What is due is found once for each webhook, not once for each delivery.
      const values = ['["hook-a"]', 0, '[]', 8];
      const plan = await reader.all({ text: `explain query plan ${SQLITE.ready}`, values });
      const steps = plan.map((row) => String(row['detail'])).filter((step) => /^S\w+ [wdxb] /.test(step));
      assert.deepEqual(
        steps.map((step) => step.slice(0, 8)),
        ['SEARCH w', 'SEARCH d', 'SEARCH x', 'SEARCH b'],
      );
    } else {
      for (const query of [log, one, attempts]) {
        await transaction(async (connection) => {
          await connection.run(sql`set local enable_seqscan = off`);
          const plan = await connection.all(sql`explain ${query}`);
          const text = plan.map((row) => Object.values(row)[0]).join('\n');
          assert.doesNotMatch(text, /Seq Scan on _webhook/, text);
        });
      }
      // As the planner has it that knows nothing of the tables yet.
      const values = [JSON.stringify([{ webhook: 'hook-a', limit: 8 }]), 'node'];
      const text = await transaction(async (connection) => {
        await connection.run(sql`set local enable_seqscan = off`);
        const plan = await connection.all({ text: `explain ${POSTGRES.take}`, values });
        return plan.map((row) => Object.values(row)[0]).join('\n');
      });
      assert.match(text, /Index Cond: \(.*order_key = .*\(id < /, text);
      assert.doesNotMatch(text, /Join Filter|Seq Scan on _webhook/, text);
      // A save looks its own document up, and does not read all that waits.
      const stored = await transaction(async (connection) => {
        const plan = await connection.all({ text: `explain ${OUTBOX.postgres}`, values: ['[]', '[]'] });
        return plan.map((row) => Object.values(row)[0]).join('\n');
      });
      assert.match(stored, /Index Cond: \(.*order_key = /, stored);
    }
  });
});

function ignoreNotOwner(error: unknown): void {
  if (!(error instanceof NotOwner)) throw error;
}

function keyOf({ webhook: name, orderKey }: Delivery): string {
  return `${name}|${orderKey}`;
}
