import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { oversizedDeliveries, pruneDeliveriesUpTo } from '../../src/webhook/queue/prune-deliveries.ts';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';
import { delivered, webhookSite } from '../support/webhook-site.ts';

const METHOD = '/api/method/chancery.webhook.';

describeEither('pulled deliveries, figures and the size of the log', webhookSite(), (hooks, engine) => {
  beforeEach(() => hooks.clear());

  async function ask(method: string, parameters: Record<string, string>, status = 200, as?: string) {
    const path = `${METHOD}${method}?${new URLSearchParams(parameters)}`;
    const reply = await hooks.request('GET', path, { as });
    assert.equal(reply.status, status, reply.text);
    return reply.body.message;
  }

  const isGivenUp = ({ status }: { readonly status: string }) => status === 'Exhausted';

  async function pullAll(webhook: string, limit: string, after?: string) {
    const ids: string[] = [];
    const bodies: string[] = [];
    let page = { after, more: true } as { after: string | undefined; more: boolean };
    while (page.more) {
      const next = await ask('pull', { webhook, limit, ...(page.after && { after: page.after }) });
      for (const each of next.deliveries) {
        ids.push(each.id);
        bodies.push(each.body);
      }
      page = next;
    }
    return { ids, bodies, after: String(page.after) };
  }

  /** On PostgreSQL, a pull ends before changes that began after a transaction that still runs in any test. */
  function pullUntil(count: number, ...args: Parameters<typeof pullAll>): ReturnType<typeof pullAll> {
    return until(
      () => pullAll(...args),
      ({ ids }) => ids.length >= count,
    );
  }

  test('pull returns each delivery of a webhook once, in order, whatever its outcome', async () => {
    const { name } = await hooks.webhook();
    const { name: other } = await hooks.webhook();
    for (let count = 0; count < 5; count += 1) await hooks.note({ title: `t${count} \u2713` });
    const [first] = await hooks.logUntil(name, (found) => found.length === 5 && delivered(found));
    await hooks.logUntil(other, (found) => found.length === 5 && delivered(found));
    const sent = hooks.receiver.received;
    const all = await pullUntil(5, name, '2');
    const logs = (await hooks.logs(name)).toSorted((a, b) => Number(a['sequence']) - Number(b['sequence']));
    assert.deepEqual(
      all.ids,
      logs.map((log) => log['webhook_id']),
    );
    for (const [place, id] of all.ids.entries()) {
      const found = sent.find(({ headers }) => headers['webhook-id'] === id);
      assert.equal(all.bodies[place], found?.body.toString());
    }
    assert.deepEqual((await pullAll(name, '2', all.after)).ids, []);
    // Neither what is sent again nor a test comes once more.
    for (const [method, body] of [
      ['resend', { name: first?.name }],
      ['test', { webhook: name }],
    ] as const) {
      await hooks.ok('POST', METHOD + method, { body });
    }
    await hooks.put(`Webhook/${name}`, { enabled: 0 });
    assert.deepEqual((await pullAll(name, '2', all.after)).ids, []);
    await hooks.put(`Webhook/${name}`, { enabled: 1 });
    await hooks.note();
    const later = await pullUntil(1, name, '500', all.after);
    assert.equal(later.ids.length, 1);
  });

  test('pull does not skip deliveries of transactions that commit late', async () => {
    const { name } = await hooks.webhook();
    await hooks.note();
    const begun = await pullUntil(1, name, '100');
    assert.equal(begun.ids.length, 1);
    const { database } = hooks.site;
    // The first of two writers commits last, as PostgreSQL lets it.
    const waits = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    const slow = database.transaction(async (connection) => {
      await connection.run(
        sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document",
              "user", "order_key", "state", "due_at", "creation", "modified") values ('dlv_slow', ${name}, 'on_update',
              'Note', 'x', 'Administrator', 'x', 4, 0, '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')`,
      );
      await connection.run(
        sql`insert into "_webhook_body" ("delivery", "method", "url", "headers", "body") select "id", 'POST', 'http://x/',
              '{}', '{"slow": 1}' from "_webhook_delivery" where "name" = 'dlv_slow'`,
      );
      inserted.resolve();
      if (engine === 'postgres') await waits.promise;
    });
    await inserted.promise;
    await hooks.note();
    const meanwhile = await pullAllOnce(name, begun.after).finally(() => waits.resolve());
    await slow;
    const rest = await pullUntil(2 - meanwhile.ids.length, name, '100', meanwhile.after);
    const ids = [...meanwhile.ids, ...rest.ids];
    assert.equal(ids.length, 2);
    assert.equal(ids[0], 'dlv_slow');
  });

  async function pullAllOnce(webhook: string, after: string) {
    const page = await ask('pull', { webhook, after });
    return { ids: page.deliveries.map(({ id }: { id: string }) => id), after: String(page.after) };
  }

  test('an invalid cursor, and users without permission, are refused', async () => {
    const { name } = await hooks.webhook();
    await ask('pull', { webhook: name, after: 'x' }, 417);
    await ask('pull', { webhook: name, limit: '501' }, 417);
    await ask('pull', { webhook: 'missing' }, 404);
    const writer = await hooks.createUser(`puller-${engine}@example.com`, ['Note Writer']);
    await ask('pull', { webhook: name }, 403, writer);
    await ask('stats', {}, 403, writer);
  });

  test('figures by hour: delivery outcomes and attempt durations', async () => {
    const { name } = await hooks.webhook({ max_retries: 1 });
    await hooks.note();
    await hooks.note();
    await hooks.logUntil(name, (found) => found.length === 2 && delivered(found));
    hooks.receiver.mode = 500;
    await hooks.note();
    await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Exhausted'));
    const { database } = hooks.site;
    await database.transaction(async (connection) => {
      await connection.run(
        sql`update "_webhook_attempt" set "duration_ms" = case when "error" is null then 40 else 1234 end
              where "delivery" in (select "id" from "_webhook_delivery" where "webhook" = ${name})`,
      );
    });
    const { total, hours } = await ask('stats', { webhook: name, hours: '2' });
    const { deliveries, delivered: good, exhausted, attempts, failed_attempts: failed } = total;
    assert.deepEqual([deliveries, good, exhausted, attempts, failed], [3, 2, 1, 4, 2]);
    assert.deepEqual([total.p50_ms, total.p99_ms, total.max_ms], [40, 1200, 1234]);
    const sum = hours.reduce((all: number, hour: { deliveries: number }) => all + hour.deliveries, 0);
    assert.equal(sum, 3);
    assert.match(hours[0].hour, /^\d{4}-\d\d-\d\d \d\d$/);
    assert.ok((await ask('stats', {})).total.deliveries >= 3);
    await ask('stats', { hours: '721' }, 417);
    await ask('stats', { webhook: 'missing' }, 404);
  });

  test('figures leave tests out, and count what a resend delivered as recovered', async () => {
    hooks.receiver.mode = 500;
    const { name } = await hooks.webhook({ max_retries: 0 });
    const note = await hooks.note();
    await hooks.note();
    const [failed] = await hooks.logUntil(name, (found) => found.length === 2 && found.every(isGivenUp));
    hooks.receiver.mode = 'ok';
    await hooks.ok('POST', `${METHOD}test`, { body: { webhook: name, document: note } });
    await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Delivered'));
    const before = (await ask('stats', { webhook: name, details: '1' })).total;
    assert.deepEqual([before.deliveries, before.delivered, before.exhausted, before.attempts], [2, 0, 2, 2]);
    await hooks.ok('POST', `${METHOD}resend`, { body: { name: failed?.name } });
    await hooks.logUntil(name, (found) => found.filter(({ status }) => status === 'Delivered').length === 2);
    const { total } = await ask('stats', { webhook: name });
    const { deliveries, delivered: good, exhausted, recovered, attempts, failed_attempts: bad } = total;
    assert.deepEqual([deliveries, good, exhausted, recovered, attempts, bad], [3, 1, 1, 1, 3, 2]);
    await hooks.ok('POST', `${METHOD}resend_many`, { body: { filters: { webhook: name } } });
    await hooks.logUntil(name, (found) => found.filter(({ status }) => status === 'Delivered').length === 3);
    const { webhooks } = await ask('overview', {});
    const seen = webhooks.find(({ webhook }: { webhook: string }) => webhook === name);
    assert.deepEqual([seen.exhausted, seen.recovered, seen.last_error], [0, 2, null]);
    assert.equal(
      seen.by_hour.reduce((all: number, hour: { failed: number }) => all + hour.failed, 0),
      0,
    );
  });

  test('figures by minute or day, with response statuses and errors', async () => {
    const { name } = await hooks.webhook({ max_retries: 1 });
    hooks.receiver.mode = 500;
    await hooks.note();
    await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Exhausted'));
    const byMinute = await ask('stats', { webhook: name, hours: '1', by: 'minute', details: '1' });
    assert.match(byMinute.hours[0].hour, /^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    assert.deepEqual(byMinute.statuses, [{ response_status: 500, attempts: 2 }]);
    assert.equal(byMinute.errors[0].attempts, 2);
    assert.match(byMinute.errors[0].error, /^http_status/);
    assert.match(byMinute.errors[0].last, /^\d{4}-\d\d-\d\d /);
    const byDay = await ask('stats', { webhook: name, hours: '720', by: 'day' });
    assert.match(byDay.hours[0].hour, /^\d{4}-\d\d-\d\d$/);
    assert.equal(byDay.statuses, undefined);
    await ask('stats', { hours: '7', by: 'minute' }, 417);
    await ask('stats', { by: 'year' }, 417);
    const [log] = await hooks.logs(name);
    assert.equal(typeof log?.['duration_ms'], 'number');
  });

  test('the overview of all webhooks, and the deliveries that are due', async () => {
    const { name } = await hooks.webhook({ max_retries: 0 });
    const { name: good } = await hooks.webhook({ webhook_docevent: 'on_update' });
    const { name: idle } = await hooks.webhook({ webhook_docevent: 'on_trash' });
    hooks.receiver.mode = 500;
    const document = await hooks.note();
    await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Exhausted'));
    hooks.receiver.mode = 'ok';
    await hooks.put(`Note/${document}`, { title: 'Changed' });
    await hooks.logUntil(good, delivered);
    await hooks.put(`Webhook/${name}`, { enabled: 0 });
    const { webhooks, queue } = await ask('overview', {});
    const of = (wanted: string) => webhooks.find(({ webhook }: { webhook: string }) => webhook === wanted);
    assert.deepEqual([of(name).deliveries, of(name).exhausted, of(name).attempts], [1, 1, 1]);
    assert.match(of(name).last_error, /^http_status/);
    assert.deepEqual([of(name).by_hour[0].deliveries, of(name).by_hour[0].failed], [1, 1]);
    assert.deepEqual([of(good).delivered, of(good).last_error, of(good).by_hour[0].failed], [1, null, 0]);
    assert.deepEqual([of(idle).deliveries, of(idle).by_hour], [0, []]);
    assert.deepEqual(queue, { waiting: 0, retrying: 0, held: 0, oldest: null });
    const writer = await hooks.createUser(`looker-${engine}@example.com`, ['Note Writer']);
    await ask('overview', {}, 403, writer);
    await ask('overview', { hours: '169' }, 417);
  });

  test('a log that is too large drops its oldest entries, but no waiting ones', async () => {
    const { database } = hooks.site;
    await pruneDeliveriesUpTo(database, Number.MAX_SAFE_INTEGER, 500);
    const { name } = await hooks.webhook();
    for (let count = 0; count < 4; count += 1) await hooks.note({ body: 'x'.repeat(10_000) });
    const logs = await hooks.logUntil(name, (found) => found.length === 4 && delivered(found));
    const [newest = 0, ...older] = logs.map((log) => Number(log['sequence'])).toSorted((a, b) => b - a);
    await database.transaction((connection) =>
      connection.run(sql`update "_webhook_delivery" set "state" = 5 where "id" = ${older.at(-1) ?? 0}`),
    );
    assert.equal(await oversizedDeliveries(database, 1_000_000_000), 0);
    // Sizes are added up in spans: all of these are in the newest one.
    const upTo = await oversizedDeliveries(database, 15_000);
    assert.equal(upTo, newest);
    assert.equal(await pruneDeliveriesUpTo(database, newest - 1, 2), 2);
    assert.equal(await pruneDeliveriesUpTo(database, newest - 1, 500), 0);
    const left = await hooks.logs(name);
    assert.deepEqual(left.map(({ status }) => status).toSorted(), ['Delivered', 'Held']);
  });
});
