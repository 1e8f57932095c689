import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startMailbox } from '../support/mailbox.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import type { TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { bodyOf, delivered, type Log, startWebhookSite } from '../support/webhook-site.ts';

/** Long enough for nothing to happen by itself within a test. */
const FOREVER = 3_600_000;

async function webhookUntil(site: TestSite, name: string, done: (doc: Log) => boolean): Promise<Log> {
  return until(async () => await site.ok('GET', `/api/resource/Webhook/${name}`), done);
}

async function commentsOn(site: TestSite, webhook: string): Promise<string[]> {
  const filters = encodeURIComponent(JSON.stringify([['reference_name', '=', webhook]]));
  const { body } = await site.request('GET', `/api/resource/Comment?filters=${filters}&fields=["content"]`);
  return body.data.map((comment: { content: string }) => comment.content);
}

describeEitherEngine('paused receivers', (engine) => {
  const hooks = useStarted(() => startWebhookSite(engine, { restAfterFailures: FOREVER }));
  afterEach(() => hooks.clear());

  test('Retry-After delays the other deliveries of the webhook, even after a restart', async () => {
    hooks.receiver.mode = 'retry-after';
    const { name: hook } = await hooks.webhook();
    await hooks.note();
    await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
    const row = await until(() =>
      hooks.site.database.reader.get(
        sql`select "paused_until" from "_webhook_endpoint" where "webhook" = ${hook}`,
      ),
    );
    assert.ok(Number(row?.['paused_until']) > Date.now() + 3_000_000);
    await hooks.note();
    const other = await hooks.webhook({ webhook_docevent: 'on_change' });
    hooks.receiver.mode = 'ok';
    await hooks.note();
    await hooks.logUntil(other.name, delivered);
    const [second, first] = (await hooks.logs(hook)).slice(1);
    assert.deepEqual([first?.attempt, second?.attempt], [1, 0]);
  });

  test('the overview tells when a failing receiver gets its next attempt', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      receiver.mode = 500;
      const { name } = await hooks.webhook({ request_url: receiver.url, max_retries: 0 });
      // Others that fail nothing: one to the same origin, and one elsewhere.
      const idle = { webhook_docevent: 'on_trash', max_retries: 0 };
      const beside = await hooks.webhook({ ...idle, request_url: `${receiver.url}/beside` });
      const away = await hooks.webhook({ ...idle, request_url: 'http://127.0.0.1:9/' });
      const restOf = async (of: string): Promise<string | null> => {
        const { webhooks } = await hooks.ok('GET', '/api/method/chancery.webhook.overview');
        return webhooks.find(({ webhook }: { webhook: string }) => webhook === of).resting_until;
      };
      const restsUntil = () => restOf(name);
      assert.equal(await restsUntil(), null);
      // Five failures in a row make it rest.
      for (let count = 0; count < 5; count += 1) await hooks.note();
      const rest = await until(restsUntil);
      assert.match(String(rest), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
      assert.deepEqual([await restOf(beside.name), await restOf(away.name)], [rest, null]);
      // A webhook that moves there rests, too.
      await hooks.put(`Webhook/${away.name}`, { request_url: `${receiver.url}/away` });
      assert.equal(await restOf(away.name), rest);
      // Another address at the origin ends the rest of all.
      await hooks.put(`Webhook/${name}`, { request_url: `${receiver.url}/elsewhere` });
      await until(async () => (await restsUntil()) === null);
      assert.deepEqual([await restOf(beside.name), await restOf(away.name)], [null, null]);
    } finally {
      await receiver.close();
    }
  });

  test('a rate limit allows its burst and then delays deliveries', async () => {
    const { name: hook } = await hooks.webhook({ rate_limit: 1, rate_burst: 2 });
    const { name: free } = await hooks.webhook({ webhook_docevent: 'on_change' });
    for (let count = 0; count < 5; count += 1) await hooks.note();
    await hooks.logUntil(free, (found) => found.length === 5 && delivered(found));
    const logs = await hooks.logUntil(
      hook,
      (found) => found.filter(({ status }) => status === 'Delivered').length >= 2,
    );
    assert.deepEqual(logs.map(({ status }) => status).sort(), [
      'Delivered',
      'Delivered',
      'Pending',
      'Pending',
      'Pending',
    ]);
    const refused = await hooks.request('PUT', `/api/resource/Webhook/${hook}`, { body: { rate_limit: -1 } });
    assert.equal(refused.status, 417);
  });

  test('hanging receivers do not delay another', async () => {
    const hanging = await Promise.all(Array.from({ length: 12 }, () => WebhookReceiver.start()));
    try {
      for (const receiver of hanging) {
        receiver.mode = 'hang';
        await hooks.webhook({ request_url: receiver.url, timeout: 60 });
      }
      const { name: hook } = await hooks.webhook();
      for (let count = 0; count < 10; count += 1) await hooks.note();
      await hooks.logUntil(hook, (found) => found.length === 10 && delivered(found));
      await until(() => hanging.every(({ received }) => received.length > 0));
      // The longer one hangs, the more requests it may get, but not all of them.
      for (const { received } of hanging) assert.ok(received.length < 10, String(received.length));
    } finally {
      await hooks.clear();
      for (const receiver of hanging) await receiver.close();
    }
  });

  for (const [choice, pages] of [
    ['Send', [1, 2, 3, 9]],
    ['Send Newest', [3, 9]],
    ['Drop', []],
  ] as const) {
    test(`enabling with held deliveries: ${choice}`, async () => {
      hooks.receiver.mode = 'retry-after';
      const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
      const note = await hooks.note({ pages: 1 });
      await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
      for (const count of [2, 3]) await hooks.put(`Note/${note}`, { pages: count });
      await hooks.note({ pages: 9 });
      await hooks.put(`Webhook/${hook}`, { enabled: 0 });
      hooks.receiver.received.length = 0;
      hooks.receiver.mode = 'ok';
      await hooks.put(`Webhook/${hook}`, { enabled: 1, held_deliveries: choice });
      const logs = await hooks.logUntil(hook, (found) =>
        found.every(({ status }) => status === 'Delivered' || status === 'Cancelled'),
      );
      assert.equal(logs.length, 4);
      assert.deepEqual(hooks.receiver.received.map((each) => bodyOf(each).pages).sort(), [...pages]);
      const ofNote = hooks.receiver.received.map(bodyOf).filter(({ name }) => name === note);
      assert.deepEqual(
        ofNote.map((doc) => doc.pages),
        pages.filter((page) => page < 9),
      );
    });
  }

  for (const [order, pages, cancelled] of [
    ['In Order', [1, 2, 3, 4], 0],
    ['Newest Only', [1, 4], 2],
  ] as const) {
    test(`deliveries behind another one of their document: ${order}`, async () => {
      hooks.receiver.mode = 'retry-after';
      const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change', delivery_order: order });
      const note = await hooks.note({ pages: 1 });
      await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
      for (const count of [2, 3, 4]) await hooks.put(`Note/${note}`, { pages: count });
      hooks.receiver.received.length = 0;
      hooks.receiver.mode = 'ok';
      // Nothing of what waits is lost by that, and it ends the rest that the receiver asked for.
      await hooks.put(`Webhook/${hook}`, { enabled: 0 });
      await hooks.put(`Webhook/${hook}`, { enabled: 1 });
      const logs = await hooks.logUntil(hook, (found) =>
        found.every(({ status }) => status === 'Delivered' || status === 'Cancelled'),
      );
      assert.deepEqual(
        hooks.receiver.received.map((each) => bodyOf(each).pages),
        [...pages],
      );
      const replaced = logs.filter(({ status }) => status === 'Cancelled');
      assert.equal(replaced.length, cancelled);
      for (const log of replaced) assert.match(String(log['error']), /^superseded: a newer change/);
    });
  }

  test('without an order, a failing delivery does not delay the next one of its document', async () => {
    hooks.receiver.decide = (received) => (bodyOf(received).pages === 1 ? 'redirect' : 'ok');
    const order = { webhook_docevent: 'on_change', delivery_order: 'Any Order' };
    const { name: hook } = await hooks.webhook(order);
    const note = await hooks.note({ pages: 1 });
    for (const count of [2, 3]) await hooks.put(`Note/${note}`, { pages: count });
    const logs = await hooks.logUntil(
      hook,
      (found) => found.filter(({ status }) => status === 'Delivered').length === 2,
    );
    assert.equal(logs.length, 3);
    hooks.receiver.decide = null;
    await hooks.logUntil(hook, delivered);
  });

  test('after a recovery, retries do not delay new deliveries', async () => {
    hooks.receiver.mode = 500;
    const { name: hook } = await hooks.webhook();
    for (let count = 0; count < 5; count += 1) await hooks.note();
    const attempts = (found: Log[]) => found.reduce((sum, { attempt }) => sum + attempt, 0);
    const failed = await hooks.logUntil(hook, (found) => attempts(found) >= 5);
    assert.ok(failed.filter(({ attempt }) => attempt > 0).length >= 3);
    for (let count = 0; count < 4; count += 1) await hooks.note();
    // What failed has been due for longer.
    await hooks.site.database.transaction((connection) =>
      connection.run(sql`update "_webhook_delivery" set "due_at" = 1 where "state" = 0 and "attempt" > 0`),
    );
    hooks.receiver.mode = 'ok';
    const begun = hooks.receiver.received.length;
    await hooks.put(`Webhook/${hook}`, { timeout: 9 });
    await hooks.receiver.count(begun + 5);
    // The first two show that it is well: the oldest.
    const numbers = hooks.receiver.received
      .slice(begun, begun + 5)
      .map(({ headers }) => Number(headers['webhook-attempt']));
    assert.ok(numbers.slice(0, 2).every((number) => number > 1));
    const [third, fourth, fifth] = numbers.slice(2).map((number) => number === 1);
    assert.ok(third && (fourth || fifth), numbers.join());
  });

  test('a receiver that keeps failing is paused, which costs waiting deliveries no attempts', async () => {
    hooks.receiver.mode = 500;
    const { name: hook } = await hooks.webhook();
    for (let count = 0; count < 12; count += 1) await hooks.note();
    await hooks.receiver.count(4);
    const logs = await hooks.logUntil(
      hook,
      (found) => found.reduce((sum, { attempt }) => sum + attempt, 0) >= 4,
    );
    assert.equal(logs.length, 12);
    // A change of the webhook lets one attempt through at once, and it shows that the receiver is well again.
    hooks.receiver.mode = 'ok';
    const begun = hooks.receiver.received.length;
    assert.ok(begun <= 8, `${begun} attempts`);
    await hooks.put(`Webhook/${hook}`, { timeout: 9 });
    await hooks.logUntil(hook, (found) => found.filter(({ status }) => status === 'Delivered').length >= 3);
  });
});

describeEitherEngine('webhooks that only fail', (engine) => {
  const mailbox = useStarted(startMailbox);
  const hooks = useStarted(() => {
    const mail = { url: mailbox.url, from: 'crm@example.com' };
    const settings = { disableAfter: 1, restAfterFailures: 5, maxRetries: 50 };
    return startWebhookSite(engine, settings, { siteUrl: 'https://crm.example.com', mail });
  });
  before(async () => {
    await hooks.make('User', {
      email: 'ops@example.com',
      first_name: 'Ops',
      roles: [{ role: 'System Manager' }],
    });
  });

  test('they are disabled after a time with a notice, and waiting deliveries are held', async () => {
    hooks.receiver.mode = 500;
    const { name: hook } = await hooks.webhook();
    await hooks.note();
    const doc = await webhookUntil(hooks, hook, ({ enabled }) => enabled === 0);
    assert.match(String(doc['disabled_reason']), /all deliveries have failed/);
    const [log] = await hooks.logUntil(hook, (found) => found[0]?.status === 'Held');
    assert.ok((log?.attempt ?? 0) >= 10);
    assert.match((await commentsOn(hooks, hook)).join(), /Disabled: all deliveries have failed/);
    await until(
      () => mailbox.mails,
      (mails) => mails.some(({ to, raw }) => to.includes('ops@example.com') && raw.includes(hook)),
    );
    hooks.receiver.mode = 'ok';
    await hooks.put(`Webhook/${hook}`, { enabled: 1 });
    await hooks.logUntil(hook, delivered);
    const { body } = await hooks.request('GET', `/api/resource/Webhook/${hook}`);
    assert.equal(body.data['disabled_reason'] ?? null, null);
  });

  test('410 disables the webhook at once', async () => {
    hooks.receiver.mode = 410;
    const { name: hook } = await hooks.webhook();
    await hooks.note();
    const doc = await webhookUntil(hooks, hook, ({ enabled }) => enabled === 0);
    assert.match(String(doc['disabled_reason']), /410 Gone/);
  });

  test('one success resets the count', async () => {
    // A receiver of its own: other webhooks would take successes that this one must get.
    const receiver = await WebhookReceiver.start();
    try {
      receiver.decide = (_received, count) => (count % 9 === 0 ? 'ok' : 500);
      const { name: hook } = await hooks.webhook({ request_url: receiver.url });
      for (let count = 0; count < 2; count += 1) await hooks.note();
      await hooks.logUntil(hook, delivered);
      const { body } = await hooks.request('GET', `/api/resource/Webhook/${hook}`);
      assert.equal(body.data.enabled, 1);
    } finally {
      await receiver.close();
    }
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
