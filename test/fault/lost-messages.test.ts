/**
 * One message between the server and PostgreSQL gets lost, each in turn: no document is made twice, no answer is
 * wrong, and no delivery gets stuck.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import type { DeliveryQueue, Settlement } from '../../src/webhook/queue/queue.ts';
import type { Delivery } from '../../src/webhook/send/delivery.ts';
import {
  type Fault,
  type MessageProxy,
  startMessageProxy,
  type WireMessage,
} from '../support/message-proxy.ts';
import { postgresUrl } from '../support/postgres.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { siteDatabase } from '../support/site-database.ts';

const DOCTYPES = ['C-.#####', 'hash'].map((autoname, index) => ({
  doctype: 'DocType',
  name: ['Counted', 'Random'][index],
  module: 'Test',
  autoname,
  fields: [{ fieldname: 'title', fieldtype: 'Data', label: 'Title' }],
  track_changes: 1,
}));
const ONE = [{ webhook: 'hook', limit: 1 }];

describe('a message to or from PostgreSQL that gets lost', () => {
  let site: TestSite;
  let proxy: MessageProxy;
  let queue: DeliveryQueue;
  let drop = async () => {};
  let number = 0;

  before(async () => {
    const database = await siteDatabase('postgres', `lost-messages-${process.pid}`);
    drop = database.drop;
    const through = new URL(database.url ?? (await postgresUrl()));
    proxy = await startMessageProxy({ host: through.hostname, port: Number(through.port) });
    through.port = String(proxy.port);
    site = await startTestSite('postgres', { doctypes: DOCTYPES, config: { database: through.href } });
    const request_url = 'http://127.0.0.1:9/';
    for (const { name } of DOCTYPES) {
      for (const webhook_docevent of ['after_insert', 'on_update']) {
        await site.make('Webhook', { webhook_docevent, request_url, webhook_doctype: name });
      }
    }
    const waiting = { webhook_docevent: 'on_update', webhook_doctype: 'User', request_url };
    await site.make('Webhook', { ...waiting, __newname: 'hook' });
    queue = openQueue(site.site, 'node');
    await queue.join();
  });
  after(async () => {
    await site.stop();
    await proxy.close();
    await drop();
  });

  const count = async (text: ReturnType<typeof sql>) =>
    Number((await site.site.database.reader.get(text))?.['count']);
  const titled = (title: string) =>
    count(sql`select (select count(*) from "Counted" where "title" = ${title})
      + (select count(*) from "Random" where "title" = ${title}) as "count"`);

  /** Runs `act` once for each message that it exchanges, with that message lost. Resolves to the kinds. */
  async function loseEach(
    statement: string,
    act: (title: string) => Promise<void>,
    isAlone = false,
  ): Promise<string[]> {
    const next = () => {
      number += 1;
      return `title ${number}`;
    };
    const runs: (readonly WireMessage[])[] = [];
    // Statements get their names at the second use, and some questions are asked once in a while.
    for (let time = 0; time < 6; time += 1) {
      const { messages } = await watched(statement, undefined, () => act(next()), isAlone);
      if (time > 2) runs.push(messages);
    }
    const messages = runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
    for (const from of ['client', 'server'] as const) {
      const sentBy = (run: readonly WireMessage[]) => run.filter((message) => message.from === from);
      for (const [place, { kind }] of sentBy(messages).entries()) {
        const fault: Fault = { from, place, instead: 'cut' };
        try {
          const { isHit, messages: seen } = await watched(statement, fault, () => act(next()), isAlone);
          assert.ok(isHit || sentBy(seen).length <= place, 'the message was not lost');
        } catch (error) {
          throw new Error(`without message ${place}, ${kind}, of the ${from}`, { cause: error });
        }
      }
    }
    return messages.map(({ kind }) => kind);
  }

  // A transaction may begin with a question that is asked once in a while.
  async function watched(
    statement: string,
    fault: Fault | undefined,
    act: () => Promise<void>,
    isAlone = false,
  ) {
    const watch = proxy.watch(statement, fault, isAlone);
    for (let tries = 0; tries < 20 && watch.messages.length === 0; tries += 1) await act();
    assert.ok(watch.messages.length > 0, `no transaction began with ${statement}`);
    return watch;
  }

  /** The reply says what became of the change. */
  function assertTrue(reply: TestReply, made: number): void {
    if (reply.status === 200) assert.equal(made, 1, reply.text);
    else if (reply.status === 503) assert.equal(made, 0, reply.text);
    else assert.ok(reply.status === 504 && made <= 1, reply.text);
    // The database can be reached all the time.
    assert.equal(reply.status, 200, reply.text);
  }

  for (const [doctype, statement] of [
    ['Counted', 'insert into "_series"'],
    ['Random', 'insert into "Random"'],
  ]) {
    test(`of a creation of ${doctype}`, async () => {
      const kinds = await loseEach(statement ?? '', async (title) => {
        const reply = await site.request('POST', `/api/resource/${doctype}`, { body: { title } });
        assertTrue(reply, await titled(title));
        const { name } = reply.body.data;
        assert.equal(await deliveries(name), 1);
      });
      assert.ok(kinds.includes('query commit') && kinds.includes('ReadyForQuery'), kinds.join());
      // The numbers have no gaps.
      assert.equal(
        await count(sql`select max(substr("name", 3)::int) as "count" from "Counted"`),
        await count(sql`select count(*) from "Counted"`),
      );
    });
  }

  test('of a creation, on a connection that stays open and silent', async () => {
    const statement = 'insert into "Random"';
    const act = async () => {
      number += 1;
      const title = `title ${number}`;
      const reply = await site.request('POST', '/api/resource/Random', { body: { title } });
      assertTrue(reply, await titled(title));
    };
    let isHit = false;
    // A connection that prepares its statements first gets more answers.
    for (let tries = 0; tries < 20 && !isHit; tries += 1) {
      const { messages } = await watched(statement, undefined, act);
      const answers = messages.filter(({ from }) => from === 'server').length;
      // The two last messages answer the commit.
      const fault: Fault = { from: 'server', place: answers - 2, instead: 'silence' };
      ({ isHit } = await watched(statement, fault, act));
    }
    assert.ok(isHit);
  });

  const deliveries = (name: string) =>
    count(sql`select count(*) from "_webhook_delivery" where "reference_document" = ${name}`);

  test('of a change', async () => {
    const { name } = await site.make('Counted', { title: 'to be changed' });
    await loseEach('from "Counted"', async (title) => {
      const reply = await site.request('PUT', `/api/resource/Counted/${name}`, { body: { title } });
      assertTrue(reply, await titled(title));
    });
    // Each change has one delivery and one version; the creation has no version.
    const versions = count(sql`select count(*) from "Version" where "docname" = ${name}`);
    assert.equal(await deliveries(name), (await versions) + 1);
  });

  test('of a deletion', async () => {
    await loseEach('from "Random"', async (title) => {
      const { name } = await site.make('Random', { title });
      const reply = await site.request('DELETE', `/api/resource/Random/${name}`);
      const isGone = (await titled(title)) === 0;
      if (reply.status === 202 || reply.status === 200) assert.ok(isGone);
      else assert.fail(reply.text);
    });
  });

  describe('of the queue of deliveries', () => {
    before(() => site.site.database.transaction((db) => db.run(sql`delete from "_webhook_delivery"`)));

    /** Two deliveries about one document: the second waits for the first. */
    async function stage(name: string): Promise<void> {
      for (const id of [1, 2]) {
        await site.site.database.transaction(async (db) => {
          const row =
            await db.get(sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype",
            "reference_document", "user", "order_key", "state", "due_at", "creation", "modified") values (${`${name}-${id}`},
            'hook', 'on_update', 'User', ${name}, 'Administrator', ${name}, ${id === 1 ? 0 : 6}, 0, now(), now())
            returning "id"`);
          await db.run(sql`insert into "_webhook_body" ("delivery", "method", "url", "headers", "body")
            values (${row?.['id'] ?? 0}, 'POST', 'http://127.0.0.1:9/', '{}', '{}')`);
        });
      }
    }

    /** The next delivery, which comes within two heartbeats. */
    async function takeOne(): Promise<Delivery> {
      for (let beats = 0; ; beats += 1) {
        const [taken] = await queue.take(ONE).catch(() => []);
        if (taken) return taken;
        assert.ok(beats < 2, 'no delivery was leased');
        await queue.tend();
      }
    }

    async function settle(delivery: Delivery): Promise<void> {
      const at = '2026-11-21 10:00:00.000000';
      const outcome = { error: null, status: 200, response: '', remoteIp: null, retryAfter: null, millis: 1 };
      const times = { delay: 0, nextRetry: null, startedAt: at, endedAt: at };
      await queue.settle([{ delivery, state: 'delivered', outcome, ...times } satisfies Settlement]);
    }

    /** Both are delivered, in order, and nothing is left. */
    async function deliverBoth(name: string): Promise<void> {
      for (const id of [1, 2]) {
        const delivery = await takeOne();
        assert.equal(delivery.name, `${name}-${id}`);
        await settle(delivery);
      }
      assert.equal(await count(sql`select count(*) from "_webhook_delivery" where "state" <> 2`), 0);
    }

    for (const [what, statement] of [
      ['a lease', 'limit q."limit"'],
      ['a result', 'as s("id" bigint, "epoch" bigint, "outcome"'],
    ]) {
      test(`at ${what}`, async () => {
        await loseEach(statement ?? '', async (name) => {
          await stage(name);
          await deliverBoth(name);
        });
      });
    }

    test('at a heartbeat', async () => {
      const beat = async (name: string) => {
        await stage(name);
        await queue.tend();
        assert.equal(queue.isFenced(), false);
        await deliverBoth(name);
      };
      await loseEach('"_webhook_node" as n', beat, true);
    });
  });
});
