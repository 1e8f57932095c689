/** Servers on one database send the deliveries of one webhook together. */

import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { Concurrency } from '../../src/webhook/flow/concurrency.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { bodyOf, startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';

const DOCUMENTS = ['note-a', 'note-b', 'note-c', 'note-d', 'note-e', 'note-f', 'note-g', 'note-h'];

describe('three servers of one webhook', () => {
  let hooks: WebhookSite;
  const others: TestSite[] = [];
  before(async () => {
    // However busy the machine is.
    mock.getter(Concurrency.prototype, 'pace', () => 'fast' as const);
    hooks = await startWebhookSite('postgres', {}, { secretKey: Buffer.alloc(32, 7).toString('base64') });
    const { config } = hooks.site;
    for (let count = 0; count < 2; count += 1)
      others.push(await startTestSite('postgres', { apps: [notes], config, worker: true }));
  });
  after(async () => {
    for (const other of others) await other.stop();
    await hooks.stop();
    mock.restoreAll();
  });

  const senders = async (since: number) =>
    Number(
      (
        await hooks.site.database.reader.get(
          sql`select count(distinct "node") as "count" from "_webhook_attempt" where "delivery" > ${since}`,
        )
      )?.['count'],
    );
  const newest = async () =>
    Number(
      (await hooks.site.database.reader.get(sql`select max("id") as "id" from "_webhook_delivery"`))?.['id'],
    );

  test('share its documents, whoever changes them, and keep the order when one of them stops', async () => {
    await hooks.webhook({ webhook_docevent: 'on_update' });
    for (const name of DOCUMENTS) await hooks.note({ name, title: '0' });
    let turn = 0;
    // One server alone gets all changes.
    const change = async () => {
      turn += 1;
      for (const name of DOCUMENTS) await hooks.put(`Note/${name}`, { title: String(turn) });
    };
    await until(
      async () => {
        await change();
        return senders(0);
      },
      (count) => count === 3,
    );
    await others.pop()?.stop();
    const stopped = await newest();
    await until(
      async () => {
        await change();
        return senders(stopped);
      },
      (count) => count === 2,
    );
    const titles = () => Map.groupBy(hooks.receiver.received.map(bodyOf), ({ name }) => String(name));
    await until(() =>
      DOCUMENTS.every((name) =>
        titles()
          .get(name)
          ?.some(({ title }) => title === String(turn)),
      ),
    );
    const all = Array.from({ length: turn }, (_, index) => index + 1);
    for (const name of DOCUMENTS) {
      const got = (titles().get(name) ?? []).map(({ title }) => Number(title)).filter((title) => title > 0);
      // Twice is allowed: the server that stopped may have cut an attempt short.
      assert.deepEqual([...new Set(got)], all, name);
      assert.deepEqual(
        got,
        got.toSorted((left, right) => left - right),
        name,
      );
    }
  });

  test('are told of a change only if they send it', async () => {
    const told: (readonly string[] | null)[] = [];
    const { notices } = hooks.site.database;
    assert.ok(notices);
    const { send } = notices;
    const listening = mock.method(
      notices,
      'send',
      function (this: unknown, from: string, to: readonly string[] | null) {
        told.push(to);
        return Reflect.apply(send, this, [from, to]);
      },
    );
    hooks.receiver.received.length = 0;
    for (const name of DOCUMENTS) await hooks.put(`Note/${name}`, { title: 'told' });
    await hooks.receiver.count(DOCUMENTS.length);
    // One change each: to one other server, or to none.
    assert.ok(
      told.every((to) => to?.length === 1),
      JSON.stringify(told),
    );
    listening.mock.restore();
  });

  test('let one of them go on when another was asked for a pause', async () => {
    const { reader } = hooks.site.database;
    const homes = () =>
      reader.all(sql`select "node" from "_webhook_node" where "fast" <> '[]' order by "seen_at" desc`);
    const [home] = await until(homes, ({ length }) => length > 0);
    const latest = await reader.get(
      sql`select d."reference_document" as "name" from "_webhook_delivery" d
        join "_webhook_attempt" a on a."delivery" = d."id"
        where a."node" <> ${String(home?.['node'])} order by d."id" desc limit 1`,
    );
    hooks.receiver.mode = 'retry-after';
    await hooks.put(`Note/${latest?.['name']}`, { title: 'pause' });
    await until(homes, ({ length }) => length === 0);
  });
});
