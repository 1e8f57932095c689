/** A body that several webhooks send is stored once: the log shows it for each, and the last one deletes it. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Database } from '../../src/db/database.ts';
import type { Dialect } from '../../src/db/dialect.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type Statement, sql } from '../../src/db/sql.ts';
import type { Site } from '../../src/document/contract.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { type DeliveryDraft, supersedeDeliveries } from '../../src/webhook/queue/outbox.ts';
import {
  oversizedDeliveries,
  pruneDeliveries,
  pruneDeliveriesUpTo,
} from '../../src/webhook/queue/prune-deliveries.ts';
import { describeEither, engineOf } from '../support/describe-site.ts';
import { notedDatabase } from '../support/noted-database.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { delivered, webhookSite } from '../support/webhook-site.ts';

/** How the engine would find the rows of a statement, even where there are too few for an index. */
async function planOf(engine: Engine, database: Database, statement: Statement | undefined): Promise<string> {
  assert.ok(statement);
  const { text, values } = statement;
  const plan = await database.transaction(async (connection) => {
    if (engine === 'sqlite') return connection.all({ text: `explain query plan ${text}`, values });
    await connection.run(sql`set local enable_seqscan = off`);
    return connection.all({ text: `explain ${text}`, values });
  });
  return plan.map((row) => String(row['detail'] ?? Object.values(row)[0])).join('\n');
}

const LONG = 'The printer is on fire. '.repeat(20);

describeEither('bodies that deliveries share', webhookSite(), (hooks, engine) => {
  beforeEach(async () => {
    await hooks.clear();
    await pruneDeliveries(hooks.site.database, Number.MAX_SAFE_INTEGER, 100);
  });

  const count = async (table: 'texts' | 'bodies'): Promise<number> => {
    const from = table === 'texts' ? sql`"_webhook_text"` : sql`"_webhook_body"`;
    const row = await hooks.site.database.reader.get(sql`select count(*) as "count" from ${from}`);
    return Number(row?.['count']);
  };
  const bodyOf = (name: string) => hooks.ok('GET', `/api/method/chancery.webhook.body?name=${name}`);

  test('webhooks with the same payload store it once, and each sends and shows it', async () => {
    const names = await Promise.all([1, 2, 3].map(async () => (await hooks.webhook()).name));
    await hooks.note({ body: LONG });
    const logs = await Promise.all(names.map((name) => hooks.logUntil(name, delivered)));
    const shown = logs.map(([log]) => String(log?.['data']));
    assert.ok(shown[0]?.includes(LONG));
    assert.deepEqual(new Set(shown).size, 1);
    assert.deepEqual(
      hooks.receiver.received.map(({ body }) => body.toString()),
      shown,
    );
    assert.equal(await count('texts'), 1);
    for (const [log] of logs) {
      const { body } = await bodyOf(String(log?.name));
      assert.equal(Buffer.from(body, 'base64').toString(), shown[0]);
    }
    // A delivery that is sent again has the same bytes.
    await hooks.ok('POST', '/api/method/chancery.webhook.resend', { body: { name: logs[0]?.[0]?.name } });
    await hooks.logUntil(String(names[0]), (found) => found.length === 2 && delivered(found));
    assert.equal(hooks.receiver.received.at(-1)?.body.toString(), shown[0]);
  });

  test('a shared body counts once for the size of the log, and goes with its last delivery', async () => {
    const names = await Promise.all([1, 2, 3].map(async () => (await hooks.webhook()).name));
    await hooks.note({ body: LONG.repeat(20) });
    for (const name of names) await hooks.logUntil(name, delivered);
    const { database } = hooks.site;
    assert.equal(await oversizedDeliveries(database, 2 * LONG.length * 20), 0);
    const all = await database.reader.all(sql`select "id" from "_webhook_delivery" order by "id"`);
    assert.equal(await oversizedDeliveries(database, LONG.length), all.at(-1)?.['id']);
    const [first] = all;
    assert.equal(await pruneDeliveriesUpTo(database, Number(first?.['id']), 10), 1);
    assert.equal(await count('texts'), 1);
    const [left] = await hooks.logs(String(names[2]));
    assert.ok(String(left?.['data']).includes(LONG));
    // Two processes that delete the same deliveries count them once.
    await Promise.all([1, 2].map(() => pruneDeliveries(database, Number.MAX_SAFE_INTEGER, 1)));
    await pruneDeliveries(database, Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual([await count('bodies'), await count('texts')], [0, 0]);
  });

  test('a change of a webhook finds its live deliveries by index', async () => {
    const { name } = await hooks.webhook();
    const sent: Statement[] = [];
    const { database } = hooks.site;
    const site: Site = Object.create(hooks.site, { database: { value: notedDatabase(database, sent) } });
    const change = (fields: object) =>
      unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, 'Webhook', name, { ...fields }));
    await change({ request_url: 'http://127.0.0.1:9/elsewhere' });
    await change({ enabled: 0 });
    await change({ enabled: 1, held_deliveries: 'Send Newest' });
    await unitOfWork(site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'Webhook', name));
    const changes = sent.filter(({ text }) => /^\s*update "_webhook_(delivery|body)"/.test(text));
    assert.equal(changes.length, 9);
    for (const { text, values } of changes) {
      const steps = await planOf(engine, database, { text, values });
      assert.match(steps, /_webhook_delivery_\w+/, text);
      // PostgreSQL chooses by what it knows of the rows: of none, here.
      const wrong = engine === 'sqlite' ? /SCAN|_webhook_delivery_(log|creation|name)/ : /Seq Scan/;
      assert.doesNotMatch(steps, wrong, text);
    }
  });
});

describeEither('deliveries without a worker', webhookSite({}, {}, false), (hooks, engine) => {
  test('a delivery that ends while its webhook is deleted stays delivered', async () => {
    const { name } = await hooks.webhook();
    await hooks.note();
    const { database } = hooks.site;
    const deleting = await database.transaction(async (db) => {
      await db.run(sql`update "_webhook_delivery" set "state" = 2, "done_at" = 1 where "webhook" = ${name}`);
      const done = unitOfWork(hooks.site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'Webhook', name));
      if (engine === 'sqlite') return { done };
      const row = await db.get(sql`select pg_backend_pid() as "pid"`);
      const blocked = sql`select 1 from pg_stat_activity
        where ${Number(row?.['pid'])}::int = any(pg_blocking_pids("pid"))`;
      await until(() => database.reader.get(blocked));
      return { done };
    });
    await deleting.done;
    const [left] = await hooks.logs(name);
    assert.equal(left?.status, 'Delivered');
  });

  test('a newer change finds the deliveries that it replaces by index', async () => {
    const { name: webhook } = await hooks.webhook();
    const sent: Statement[] = [];
    const { database } = hooks.site;
    const site: Site = Object.create(hooks.site, { database: { value: notedDatabase(database, sent) } });
    await unitOfWork(site, ADMINISTRATOR, (ctx) =>
      supersedeDeliveries(ctx, [{ webhook, doctypeName: 'Note', docName: 'note' } as DeliveryDraft], 'why'),
    );
    const [statement] = sent.filter(({ text }) => text.startsWith('update "_webhook_delivery"'));
    // PostgreSQL chooses by what it knows of the rows: of none, here.
    const index = engine === 'sqlite' ? /_webhook_delivery_order/ : /_webhook_delivery_\w+/;
    assert.match(await planOf(engine, database, statement), index);
  });
});

for (const engine of engineOf('shared bodies')) {
  test(`the deliveries of an older version stay as they are on ${engine}`, async (t) => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const database = await openDatabase(url);
    t.after(async () => {
      await database.close();
      await drop();
    });
    const step = SYSTEM_STEPS.findIndex(({ name }) => name === 'bodies that deliveries share');
    await migrateSystemTables(database, SYSTEM_STEPS.slice(0, step));
    await database.transaction(async (db) => {
      for (const state of [0, 1, 2, 3, 4, 5, 6]) {
        const at = '2026-11-21 10:00:00.000000';
        const done = state >= 2 && state <= 4 ? 7 : null;
        const row = await db.get(sql`insert into "_webhook_delivery" ("name", "webhook", "event",
          "reference_doctype", "reference_document", "user", "order_key", "state", "due_at", "creation", "modified", "done_at")
          values (${`dlv_${state}`}, 'w', 'on_update', 'Note', 'n', 'u', 'k', ${state}, 5, ${at}, ${at}, ${done})
          returning "id"`);
        await db.run(sql`insert into "_webhook_body" ("delivery", "method", "url", "headers", "body")
          values (${row?.['id'] ?? null}, 'POST', 'http://x/', '{}', ${`{"state": ${state}}`})`);
      }
    });
    const look = () =>
      database.reader.all(
        sql`select l.*, d."state", d."due_at", d."done_at" from "Webhook Request Log" l
            join "_webhook_delivery" d on d."name" = l."name" order by l."name"`,
      );
    const before = await look();
    // A process that ends in the middle of the step leaves it undone.
    const broken = SYSTEM_STEPS.map((each, index) =>
      index === step
        ? { ...each, statements: (d: Dialect) => [...each.statements(d), sql`create nonsense`] }
        : each,
    );
    await assert.rejects(migrateSystemTables(database, broken));
    assert.deepEqual(await look(), before);
    await migrateSystemTables(database, SYSTEM_STEPS.slice(0, step + 1));
    assert.deepEqual(await look(), before);
    // A later step may add columns to the log.
    await migrateSystemTables(database, SYSTEM_STEPS);
    assert.partialDeepStrictEqual(await look(), before);
    assert.deepEqual(
      before.map(({ data }) => data),
      [0, 1, 2, 3, 4, 5, 6].map((state) => `{"state": ${state}}`),
    );
    assert.equal(await pruneDeliveries(database, 8, 10), 3);
    assert.equal((await look()).length, 4);
  });
}
